import unittest

from shop.cart import discount, total


class Total(unittest.TestCase):
    def test_of_nothing(self):
        self.assertEqual(total([]), 0)

    def test_of_two_items(self):
        self.assertEqual(total([{"price": 250}, {"price": 100}]), 350)

    def test_without_cancelled_items(self):
        self.assertEqual(total([{"price": 250}, {"price": 100, "cancelled": True}]), 250)


class Discount(unittest.TestCase):
    def test_of_a_quarter(self):
        self.assertEqual(discount(1000, 25), 750)

    def test_rounds_down(self):
        self.assertEqual(discount(999, 10), 899)

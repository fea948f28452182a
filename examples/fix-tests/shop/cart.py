"""Totals of a shopping cart. Prices are in cents."""


def total(items):
    """The price of all items that were not cancelled."""
    return sum(item["price"] for item in items)


def discount(price, percent):
    """The price less so many percent, rounded down to a cent."""
    return price - percent

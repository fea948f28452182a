use proptest::prelude::*;

use super::*;
use crate::intent::{Attribute, Relationship, ValueKind};

fn entity(name: &str, attributes: usize, relationships: Vec<Relationship>) -> Entity {
    let attribute = |i| Attribute {
        name: format!("value{i}"),
        kind: ValueKind::Text,
        required: true,
        unique: false,
        description: String::new(),
    };
    Entity {
        name: name.to_owned(),
        description: "A thing".to_owned(),
        attributes: (0..attributes).map(attribute).collect(),
        relationships,
    }
}

fn relationship(target: &str, cardinality: Cardinality) -> Relationship {
    Relationship {
        name: "belongs to".to_owned(),
        target: target.to_owned(),
        cardinality,
    }
}

const CARDINALITIES: [Cardinality; 4] = [
    Cardinality::OneToOne,
    Cardinality::OneToMany,
    Cardinality::ManyToOne,
    Cardinality::ManyToMany,
];

fn models() -> impl Strategy<Value = Vec<Entity>> {
    let links = proptest::collection::vec((0_usize..32, 0_usize..4), 0..5);
    proptest::collection::vec((0_usize..14, links), 0..31).prop_map(|all| {
        let one = |(i, (attributes, links)): (usize, (usize, Vec<(usize, usize)>))| {
            let targets = links
                .into_iter()
                .map(|(to, c)| relationship(&format!("E{to}"), CARDINALITIES[c]));
            entity(&format!("E{i}"), attributes, targets.collect())
        };
        all.into_iter().enumerate().map(one).collect()
    })
}

fn overlap(a: &Area, b: &Area) -> bool {
    a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.bottom() && b.y < a.bottom()
}

/// Whether a stretch from one point to the next runs through the inside of a box.
fn crosses(area: &Area, (ax, ay): (i32, i32), (bx, by): (i32, i32)) -> bool {
    ax.min(bx) < area.x + area.width && ax.max(bx) > area.x && ay.min(by) < area.bottom() && ay.max(by) > area.y
}

fn on_edge(area: &Area, (x, y): (i32, i32)) -> bool {
    let inside = (area.x..=area.x + area.width).contains(&x) && (area.y..=area.bottom()).contains(&y);
    inside && (x == area.x || x == area.x + area.width || y == area.y || y == area.bottom())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]
    #[test]
    fn boxes_keep_apart_and_lines_keep_out_of_them(entities in models()) {
        let layout = of(&entities);
        prop_assert_eq!(layout.areas.len(), entities.len());
        for (i, a) in layout.areas.iter().enumerate() {
            prop_assert!(a.x >= 0 && a.y >= 0 && a.x + a.width <= layout.width && a.bottom() <= layout.height);
            for b in &layout.areas[i + 1..] {
                prop_assert!(!overlap(a, b), "{:?} {:?}", a, b);
            }
        }
        for line in &layout.lines {
            for (end, point) in line.ends.iter().zip([line.points.first(), line.points.last()]) {
                prop_assert_eq!(Some(&end.at), point);
                prop_assert!(on_edge(&layout.areas[end.entity], end.at), "{:?}", line);
            }
            for pair in line.points.windows(2) {
                prop_assert!(pair[0].0 == pair[1].0 || pair[0].1 == pair[1].1, "slanted: {:?}", line);
                prop_assert!(!layout.areas.iter().any(|area| crosses(area, pair[0], pair[1])), "{:?}", line);
                prop_assert!(pair.iter().all(|p| p.0 >= 0 && p.0 <= layout.width && p.1 >= 0 && p.1 <= layout.height));
            }
        }
        prop_assert_eq!(layout, of(&entities));
    }

    #[test]
    fn every_known_relationship_is_drawn(entities in models()) {
        let drawn: Vec<(usize, usize)> = of(&entities).lines.iter().map(|line| (line.ends[0].entity, line.ends[1].entity)).collect();
        for (from, entity) in entities.iter().enumerate() {
            for relationship in &entity.relationships {
                let Some(to) = entities.iter().position(|other| other.name == relationship.target) else { continue };
                prop_assert!(drawn.contains(&(from, to)) || drawn.contains(&(to, from)));
            }
        }
    }
}

#[test]
fn one_relationship_told_from_both_ends_is_one_line() {
    let entities = [
        entity("Order", 2, vec![relationship("Line", Cardinality::OneToMany)]),
        entity("Line", 2, vec![relationship("Order", Cardinality::ManyToOne)]),
    ];
    let layout = of(&entities);
    assert_eq!(layout.lines.len(), 1);
    assert_eq!(
        layout.lines[0].ends.map(|end| (end.entity, end.many)),
        [(0, false), (1, true)]
    );
}

#[test]
fn what_others_hang_on_comes_first() {
    let entities = [
        entity("Line", 1, vec![relationship("Order", Cardinality::ManyToOne)]),
        entity("Lonely", 1, Vec::new()),
        entity("Order", 1, vec![relationship("Customer", Cardinality::ManyToOne)]),
        entity("Customer", 1, Vec::new()),
    ];
    assert_eq!(order(4, &links(&entities)), [3, 2, 0, 1]);
}

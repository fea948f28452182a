//! Where the boxes of the entity diagram stand and how the lines between them run.
//!
//! Entities fill rows of a grid, those that others depend on first. Lines leave a box downwards or upwards into the channel
//! between two rows, or straight to a neighbour in the same row; longer ways go down between two columns. So no line crosses
//! a box, and each label has a track of its own.

use super::text::{int, width};
use crate::intent::{Cardinality, Entity};

pub(super) const BOX_WIDTH: i32 = 236;
/// Between two columns.
const AISLE: i32 = 124;
const MARGIN: i32 = 12;
const COLUMNS: usize = 3;
/// Room in a channel before its first and after its last track, for the ends of lines.
const STUB: i32 = 30;
const TRACK: i32 = 24;
const HEAD: i32 = 40;
const ATTRIBUTE: i32 = 22;
const FOOT: i32 = 10;
/// From one line to the next between neighbours.
const SLOT: i32 = 40;
pub(super) const ATTRIBUTES_MAX: usize = 8;
pub(super) const LABEL_SIZE: i32 = 12;
const LABEL_MAX: i32 = 170;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Area {
    pub(super) x: i32,
    pub(super) y: i32,
    pub(super) width: i32,
    pub(super) height: i32,
    row: usize,
    column: usize,
}

impl Area {
    pub(super) fn bottom(&self) -> i32 {
        self.y + self.height
    }

    fn middle(&self) -> i32 {
        self.x + self.width / 2
    }
}

/// One end of a line: where it touches its box, which way it arrives, and whether many stand there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct End {
    pub(super) entity: usize,
    pub(super) at: (i32, i32),
    /// One step from the box towards the line.
    pub(super) out: (i32, i32),
    pub(super) many: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Line {
    pub(super) ends: [End; 2],
    pub(super) points: Vec<(i32, i32)>,
    /// Middle of the label's baseline, its lines, not yet escaped. The second line stands below the line.
    pub(super) label_at: (i32, i32),
    pub(super) label: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Layout {
    pub(super) width: i32,
    pub(super) height: i32,
    pub(super) areas: Vec<Area>,
    pub(super) lines: Vec<Line>,
}

/// A relationship between two entities that are both there.
#[derive(Debug, Clone)]
struct Link {
    from: usize,
    to: usize,
    from_many: bool,
    to_many: bool,
    name: String,
    /// The ends were exchanged, so the name reads from the second end to the first.
    reversed: bool,
}

pub(super) fn of(entities: &[Entity]) -> Layout {
    let links = links(entities);
    let columns = COLUMNS.min(entities.len().max(1));
    let rows: Vec<Vec<usize>> = order(entities.len(), &links)
        .chunks(columns)
        .map(<[usize]>::to_vec)
        .collect();
    let mut areas = vec![Area::default(); entities.len()];
    for (row, members) in rows.iter().enumerate() {
        place_row(row, members, columns, &links, &rows[..row], &mut areas);
    }
    for (area, entity) in areas.iter_mut().zip(entities) {
        area.x = MARGIN + int(area.column) * (BOX_WIDTH + AISLE);
        area.width = BOX_WIDTH;
        area.height = height(entity);
    }
    let mut router = Router::new(links, areas, rows.len());
    router.route();
    let width = 2 * MARGIN + int(columns) * BOX_WIDTH + (int(columns) - 1) * AISLE;
    router.finish(&rows, width)
}

fn height(entity: &Entity) -> i32 {
    let more = usize::from(entity.attributes.len() > ATTRIBUTES_MAX);
    HEAD + int(entity.attributes.len().min(ATTRIBUTES_MAX) + more) * ATTRIBUTE + FOOT
}

/// Every relationship once: the same one told from both ends is one line.
fn links(entities: &[Entity]) -> Vec<Link> {
    let mut all: Vec<Link> = Vec::new();
    let mut told = Vec::new();
    for (from, entity) in entities.iter().enumerate() {
        for relationship in &entity.relationships {
            let Some(to) = entities.iter().position(|other| other.name == relationship.target) else {
                continue;
            };
            let (from_many, to_many) = match relationship.cardinality {
                Cardinality::OneToOne => (false, false),
                Cardinality::OneToMany => (false, true),
                Cardinality::ManyToOne => (true, false),
                Cardinality::ManyToMany => (true, true),
            };
            let mirror = all.iter().enumerate().position(|(i, link)| {
                from != to
                    && !told.contains(&i)
                    && (link.from, link.to, link.from_many, link.to_many) == (to, from, to_many, from_many)
            });
            match mirror {
                Some(mirror) => told.push(mirror),
                None => all.push(Link {
                    from,
                    to,
                    from_many,
                    to_many,
                    name: relationship.name.clone(),
                    reversed: false,
                }),
            }
        }
    }
    all
}

/// Entities that others hang on come first, those without any line last; otherwise as the intent has them.
fn order(count: usize, links: &[Link]) -> Vec<usize> {
    let mut below: Vec<Vec<usize>> = vec![Vec::new(); count];
    for link in links.iter().filter(|link| link.from != link.to) {
        let (upper, lower) = if link.from_many && !link.to_many {
            (link.to, link.from)
        } else {
            (link.from, link.to)
        };
        below[upper].push(lower);
    }
    let mut rank = vec![0_usize; count];
    // Longest ways first; a circle would grow for ever, so no more passes than there are entities.
    for _ in 0..count {
        let mut changed = false;
        for upper in 0..count {
            for &lower in &below[upper] {
                if rank[lower] < rank[upper] + 1 && rank[upper] < count {
                    rank[lower] = rank[upper] + 1;
                    changed = true;
                }
            }
        }
        if !changed {
            break;
        }
    }
    let mut order: Vec<usize> = (0..count).collect();
    let lonely = |i: usize| !links.iter().any(|link| link.from == i || link.to == i);
    order.sort_by_key(|&i| (lonely(i), rank[i], i));
    order
}

/// Gives the members of a row the columns with the shortest lines.
fn place_row(row: usize, members: &[usize], columns: usize, links: &[Link], above: &[Vec<usize>], areas: &mut [Area]) {
    let mut best: Option<(usize, Vec<usize>)> = None;
    for choice in choices(members.len(), columns) {
        let column_of = |entity: usize| {
            let here = members.iter().position(|&m| m == entity).map(|i| (choice[i], true));
            here.or_else(|| {
                above
                    .iter()
                    .flatten()
                    .find(|&&e| e == entity)
                    .map(|&e| (areas[e].column, false))
            })
        };
        let mut cost = 0;
        for link in links
            .iter()
            .filter(|link| members.contains(&link.from) || members.contains(&link.to))
        {
            if let (Some((a, here_a)), Some((b, here_b))) = (column_of(link.from), column_of(link.to)) {
                let apart = a.abs_diff(b);
                cost += 2 * apart + if here_a && here_b && apart > 1 { 4 } else { 0 };
            }
        }
        if best.as_ref().is_none_or(|(least, _)| cost < *least) {
            best = Some((cost, choice));
        }
    }
    let choice = best.map(|(_, choice)| choice).unwrap_or_default();
    for (&entity, &column) in members.iter().zip(&choice) {
        areas[entity].row = row;
        areas[entity].column = column;
    }
}

/// All ways to give `count` boxes columns of their own.
fn choices(count: usize, columns: usize) -> Vec<Vec<usize>> {
    let mut all = vec![Vec::new()];
    for _ in 0..count {
        all = all
            .into_iter()
            .flat_map(|taken: Vec<usize>| {
                let free: Vec<usize> = (0..columns).filter(|column| !taken.contains(column)).collect();
                free.into_iter()
                    .map(move |column| [taken.as_slice(), &[column]].concat())
            })
            .collect();
    }
    all
}

/// How a line runs before heights are known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Way {
    /// Straight to the neighbour, in the slot of this number.
    Side { slot: usize },
    /// Both ends below the row.
    Under,
    /// Down to the next row.
    Next,
    /// Down past other rows, in this aisle and lane.
    Past { aisle: usize, lane: usize },
}

/// A stretch of a line in a channel.
#[derive(Debug, Clone, Copy)]
struct Stretch {
    channel: usize,
    from: i32,
    to: i32,
    track: usize,
    labelled: bool,
}

struct Router {
    links: Vec<Link>,
    areas: Vec<Area>,
    ways: Vec<Way>,
    /// Where the line leaves its upper and its lower box.
    ports: Vec<[i32; 2]>,
    stretches: Vec<Vec<Stretch>>,
    /// How far right each track of each channel is taken, as occupied intervals.
    tracks: Vec<Vec<Vec<(i32, i32)>>>,
    lanes: [usize; COLUMNS],
}

impl Router {
    fn new(mut links: Vec<Link>, areas: Vec<Area>, rows: usize) -> Router {
        // The first end is the upper one, or the left one in the same row.
        for link in &mut links {
            let key = |i: usize| (areas[i].row, areas[i].column);
            if key(link.from) > key(link.to) {
                std::mem::swap(&mut link.from, &mut link.to);
                std::mem::swap(&mut link.from_many, &mut link.to_many);
                link.reversed = true;
            }
        }
        let count = links.len();
        Router {
            links,
            areas,
            ways: Vec::new(),
            ports: vec![[0; 2]; count],
            stretches: vec![Vec::new(); count],
            tracks: vec![Vec::new(); rows],
            lanes: [0; COLUMNS],
        }
    }

    fn route(&mut self) {
        self.choose_ways();
        self.set_ports();
        for i in 0..self.links.len() {
            self.lay(i);
        }
    }

    fn choose_ways(&mut self) {
        let mut slots: Vec<((usize, usize), usize)> = Vec::new();
        for link in &self.links {
            let (a, b) = (self.areas[link.from], self.areas[link.to]);
            let way = match b.row - a.row {
                0 if b.column == a.column + 1 => {
                    let gap = (a.row, a.column);
                    let slot = slots.iter().filter(|(taken, _)| *taken == gap).count();
                    if HEAD / 2 + int(slot) * SLOT + 16 <= a.height.min(b.height) {
                        slots.push((gap, slot));
                        Way::Side { slot }
                    } else {
                        Way::Under
                    }
                }
                0 => Way::Under,
                1 => Way::Next,
                _ => {
                    // The aisle nearest to both; aisle n is right of column n.
                    let aisle = usize::midpoint(a.column, b.column).min(COLUMNS - 2);
                    let lane = self.lanes[aisle];
                    self.lanes[aisle] += 1;
                    Way::Past { aisle, lane }
                }
            };
            self.ways.push(way);
        }
    }

    /// Spreads the ends along the bottoms and tops of boxes, in the order of where they go.
    fn set_ports(&mut self) {
        for entity in 0..self.areas.len() {
            let area = self.areas[entity];
            let (mut bottom, mut top) = (Vec::new(), Vec::new());
            for (i, link) in self.links.iter().enumerate() {
                let way = self.ways[i];
                if matches!(way, Way::Side { .. }) {
                    continue;
                }
                if link.from == entity {
                    bottom.push((self.areas[link.to].middle(), i, 0_usize));
                }
                if link.to == entity {
                    let side = if way == Way::Under { &mut bottom } else { &mut top };
                    side.push((self.areas[link.from].middle(), i, 1));
                }
            }
            for side in [&mut bottom, &mut top] {
                side.sort_unstable();
                for (place, &(_, i, end)) in side.iter().enumerate() {
                    self.ports[i][end] = area.x + area.width * int(place + 1) / int(side.len() + 1);
                }
            }
        }
        self.part_ports();
    }

    /// Two lines that meet head-on in a channel would look like one: the lower one steps aside.
    fn part_ports(&mut self) {
        for i in 0..self.links.len() {
            if !matches!(self.ways[i], Way::Next | Way::Past { .. }) {
                continue;
            }
            let area = self.areas[self.links[i].to];
            for step in [0, 14, -14, 28, -28, 42, -42] {
                let x = self.ports[i][1] + step;
                let inside = x >= area.x + 8 && x <= area.x + area.width - 8;
                if inside && !self.meets(i, area.row, x) {
                    self.ports[i][1] = x;
                    break;
                }
            }
        }
    }

    fn meets(&self, i: usize, row: usize, x: i32) -> bool {
        self.links.iter().enumerate().any(|(other, link)| {
            let near = |end: usize| (self.ports[other][end] - x).abs() < 10;
            let (upper, lower) = (self.areas[link.from].row, self.areas[link.to].row);
            match self.ways[other] {
                _ if other == i => false,
                Way::Side { .. } => false,
                Way::Under => upper + 1 == row && (near(0) || near(1)),
                Way::Next | Way::Past { .. } => (upper + 1 == row && near(0)) || (lower == row && near(1)),
            }
        })
    }

    fn lane_x(&self, aisle: usize, lane: usize) -> i32 {
        let left = MARGIN + int(aisle + 1) * BOX_WIDTH + int(aisle) * AISLE;
        left + AISLE * int(lane + 1) / int(self.lanes[aisle] + 1)
    }

    /// Finds tracks for the stretches of a line.
    fn lay(&mut self, i: usize) {
        let [start, end] = self.ports[i];
        let (upper, lower) = (self.areas[self.links[i].from].row, self.areas[self.links[i].to].row);
        let wanted = match self.ways[i] {
            Way::Side { .. } => Vec::new(),
            Way::Under | Way::Next => vec![(upper, start, end, true)],
            Way::Past { aisle, lane } => {
                let x = self.lane_x(aisle, lane);
                vec![(upper, start, x, true), (lower - 1, x, end, false)]
            }
        };
        for (channel, from, to, labelled) in wanted {
            let (mut left, mut right) = (from.min(to) - 8, from.max(to) + 8);
            if labelled {
                let half = self
                    .label(i)
                    .iter()
                    .map(|line| width(line, LABEL_SIZE))
                    .max()
                    .unwrap_or(0)
                    / 2
                    + 8;
                let middle = i32::midpoint(from, to);
                left = left.min(middle - 2 * half);
                right = right.max(middle + 2 * half);
            }
            let tracks = &mut self.tracks[channel];
            let free = |taken: &Vec<(i32, i32)>| taken.iter().all(|&(a, b)| right < a || b < left);
            let track = tracks.iter().position(free).unwrap_or(tracks.len());
            if track == tracks.len() {
                tracks.push(Vec::new());
            }
            tracks[track].push((left, right));
            self.stretches[i].push(Stretch {
                channel,
                from,
                to,
                track,
                labelled,
            });
        }
    }

    /// The name, with an arrow in the direction it reads.
    fn label(&self, i: usize) -> Vec<String> {
        let Link { name, reversed, .. } = &self.links[i];
        match (self.ways[i], reversed) {
            (Way::Side { .. }, false) => super::text::wrapped(&format!("{name} →"), AISLE - 36, LABEL_SIZE, 2),
            (Way::Side { .. }, true) => super::text::wrapped(&format!("← {name}"), AISLE - 36, LABEL_SIZE, 2),
            (Way::Under, _) => super::text::wrapped(name, LABEL_MAX, LABEL_SIZE, 1),
            (Way::Next | Way::Past { .. }, false) => {
                super::text::wrapped(&format!("↓ {name}"), LABEL_MAX, LABEL_SIZE, 1)
            }
            (Way::Next | Way::Past { .. }, true) => {
                super::text::wrapped(&format!("↑ {name}"), LABEL_MAX, LABEL_SIZE, 1)
            }
        }
    }

    /// Heights are known now: turns tracks into coordinates.
    fn finish(mut self, rows: &[Vec<usize>], sheet_width: i32) -> Layout {
        let mut y = MARGIN;
        let mut channels = Vec::new();
        for (row, members) in rows.iter().enumerate() {
            for &entity in members {
                self.areas[entity].y = y;
            }
            y += members
                .iter()
                .map(|&entity| self.areas[entity].height)
                .max()
                .unwrap_or(0);
            channels.push(y);
            let tracks = int(self.tracks[row].len());
            let last = row + 1 == rows.len();
            y += match (tracks, last) {
                (0, true) => 0,
                (0, false) => 36,
                (tracks, true) => STUB + tracks * TRACK,
                (tracks, false) => 2 * STUB + (tracks - 1) * TRACK + 8,
            };
        }
        let lines = (0..self.links.len())
            .map(|i| self.line(i, &channels, sheet_width))
            .collect();
        Layout {
            width: sheet_width,
            height: y + MARGIN,
            areas: self.areas,
            lines,
        }
    }

    fn line(&self, i: usize, channels: &[i32], sheet_width: i32) -> Line {
        let link = &self.links[i];
        let (a, b) = (self.areas[link.from], self.areas[link.to]);
        let [start, end] = self.ports[i];
        let track_y = |stretch: &Stretch| channels[stretch.channel] + STUB + 4 + int(stretch.track) * TRACK;
        let label = self.label(i);
        let half = label.iter().map(|line| width(line, LABEL_SIZE)).max().unwrap_or(0) / 2;
        let inside = |x: i32| x.clamp(half + 4, (sheet_width - half - 4).max(half + 4));
        let mut points = Vec::new();
        let (mut label_at, outs);
        match self.ways[i] {
            Way::Side { slot } => {
                let y = a.y + HEAD / 2 + int(slot) * SLOT;
                points.extend([(a.x + a.width, y), (b.x, y)]);
                label_at = (i32::midpoint(a.x + a.width, b.x), y - 7);
                outs = [(1, 0), (-1, 0)];
            }
            way @ (Way::Under | Way::Next | Way::Past { .. }) => {
                let far = if way == Way::Under { b.bottom() } else { b.y };
                points.push((start, a.bottom()));
                label_at = (0, 0);
                for stretch in &self.stretches[i] {
                    let y = track_y(stretch);
                    points.extend([(stretch.from, y), (stretch.to, y)]);
                    if stretch.labelled {
                        label_at = (inside(i32::midpoint(stretch.from, stretch.to)), y - 5);
                    }
                }
                points.push((end, far));
                outs = [(0, 1), if way == Way::Under { (0, 1) } else { (0, -1) }];
            }
        }
        points.dedup();
        if label.is_empty() {
            label_at = (0, 0);
        }
        let at = |points: &[(i32, i32)], last: bool| {
            (if last { points.last() } else { points.first() })
                .copied()
                .unwrap_or_default()
        };
        let ends = [
            End {
                entity: link.from,
                at: at(&points, false),
                out: outs[0],
                many: link.from_many,
            },
            End {
                entity: link.to,
                at: at(&points, true),
                out: outs[1],
                many: link.to_many,
            },
        ];
        Line {
            ends,
            points,
            label_at,
            label,
        }
    }
}

#[cfg(test)]
mod tests;

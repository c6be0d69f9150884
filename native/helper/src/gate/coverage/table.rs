//! The table's rules, as text for nft. Each set is bounded and forgets after ten minutes; when the detailed ones are full, counting
//! goes on with less detail, and last of all without the sender, in a set that can't be full.

use std::fmt::Write;

use super::kernel;
use crate::failure::Failure;
use crate::gate::rules;
use crate::place::Place;

pub const NAME: &str = "sotto_coverage";
/// Milliseconds. app/service/system-dns/coverage/tally.ts knows it, too.
pub const FORGETS_AFTER: u64 = 600_000;

/// The control group that holds a socket can be named by its depth alone, so each depth has a rule, and the deepest that exists counts.
/// systemd's own groups are at most five deep, Podman's of a person six.
const DEEPEST: u32 = 6;

/// What this machine sends is counted before the gate, which stands at priority 0, and again after it: what is missing there was
/// rejected.
const STAGES: [(&str, i32); 2] = [("tried", -10), ("left", 10)];
/// nftables' words for the two kinds of address.
const FAMILIES: [(&str, &str, &str); 2] = [("4", "ip", "ipv4_addr"), ("6", "ip6", "ipv6_addr")];

/// Two protocols and two ports are four keys.
const OTHERS: (&str, &str) = ("meta l4proto . th dport", "inet_proto . inet_service");

/// How the sets' keys are made: `Group` has the control group, `User` is for kernels that can't tell it; the rests leave out the address,
/// `Others` leaves out who sent.
#[derive(Debug, PartialEq, Eq, Clone, Copy)]
pub enum Kind {
    Group,
    GroupRest,
    User,
    Rest,
    Forwarded,
    ForwardedRest,
    Others,
}

pub struct Set {
    pub name: String,
    pub kind: Kind,
    /// counted before the gate
    pub tried: bool,
}

/// Every set that may be there.
pub fn sets() -> Vec<Set> {
    let set = |name: String, kind, tried| Set { name, kind, tried };
    let own = STAGES.iter().flat_map(|(stage, _)| {
        let tried = *stage == "tried";
        let detailed = FAMILIES.iter().flat_map(move |(family, ..)| {
            [
                set(format!("{stage}_group{family}"), Kind::Group, tried),
                set(format!("{stage}_user{family}"), Kind::User, tried),
            ]
        });
        let rests = [("group_rest", Kind::GroupRest), ("rest", Kind::Rest), ("others", Kind::Others)];
        detailed.chain(rests.map(|(rest, kind)| set(format!("{stage}_{rest}"), kind, tried)))
    });
    let forwarded =
        FAMILIES.iter().map(|(family, ..)| set(format!("forwarded{family}"), Kind::Forwarded, false));
    let rests = [("rest", Kind::ForwardedRest), ("others", Kind::Others)];
    let rests = rests.map(|(rest, kind)| set(format!("forwarded_{rest}"), kind, false));
    own.chain(forwarded).chain(rests).collect()
}

/// Makes the table anew. A kernel that can't tell control groups counts by user alone.
pub async fn make(place: &Place, user: u32) -> Result<(), Failure> {
    if replace(place, &text(user, true)).await.is_ok() {
        return Ok(());
    }
    replace(place, &text(user, false)).await
}

/// False: the kernel has no such table, or this process may not look.
pub fn stands() -> bool {
    matches!(kernel::table_number(NAME), Ok(Some(_)))
}

pub async fn remove(place: &Place) -> Result<(), Failure> {
    replace(place, "").await
}

async fn replace(place: &Place, by: &str) -> Result<(), Failure> {
    rules::run(place, &["-f", "-"], &format!("add table inet {NAME}\ndelete table inet {NAME}\n{by}")).await
}

/// The user stands for the service, as in the gate's own rules. What a program sends to itself on this machine goes past nobody.
fn text(user: u32, by_group: bool) -> String {
    let mut text = format!("table inet {NAME} {{\n");
    for (stage, priority) in STAGES {
        write_own(&mut text, stage, priority, user, by_group);
    }
    write_forwarded(&mut text);
    text.push_str("}\n");
    text
}

fn write_own(text: &mut String, stage: &str, priority: i32, user: u32, by_group: bool) {
    let kind = if by_group { "group" } else { "user" };
    let group_type = if by_group { " . cgroupsv2" } else { "" };
    let group_rest = format!("{stage}_group_rest");
    if by_group {
        declare(text, &group_rest, "uid . cgroupsv2 . inet_proto . inet_service", 256);
    }
    for (family, network, address) in FAMILIES {
        let set = format!("{stage}_{kind}{family}");
        declare(text, &set, &format!("uid{group_type} . inet_proto . inet_service . {address}"), 256);
        let _ = writeln!(text, "chain {stage}{family} {{");
        for depth in (0..=DEEPEST).rev().take(if by_group { usize::MAX } else { 1 }) {
            let group = if by_group { format!(" . socket cgroupv2 level {depth}") } else { String::new() };
            count(text, &set, &format!("meta skuid{group} . meta l4proto . th dport . {network} daddr"));
            if by_group {
                count(text, &group_rest, &format!("meta skuid{group} . meta l4proto . th dport"));
            }
        }
        count(text, &format!("{stage}_rest"), "meta skuid . meta l4proto . th dport");
        count(text, &format!("{stage}_others"), OTHERS.0);
        text.push_str("}\n");
    }
    declare(text, &format!("{stage}_rest"), "uid . inet_proto . inet_service", 256);
    declare(text, &format!("{stage}_others"), OTHERS.1, 16);
    begin(text, stage, "output", priority);
    let _ = writeln!(text, "oifname \"lo\" return\nmeta skuid {user} return");
    send_on(text, stage);
}

fn write_forwarded(text: &mut String) {
    for (family, network, address) in FAMILIES {
        let set = format!("forwarded{family}");
        declare(text, &set, &format!("ifname . inet_proto . inet_service . {address} . {address}"), 256);
        let _ = writeln!(text, "chain count_forwarded{family} {{");
        count(text, &set, &format!("iifname . meta l4proto . th dport . {network} saddr . {network} daddr"));
        count(text, "forwarded_rest", "iifname . meta l4proto . th dport");
        count(text, "forwarded_others", OTHERS.0);
        text.push_str("}\n");
    }
    declare(text, "forwarded_rest", "ifname . inet_proto . inet_service", 128);
    declare(text, "forwarded_others", OTHERS.1, 16);
    begin(text, "count_forwarded", "forward", 10);
    send_on(text, "count_forwarded");
}

/// A set that is full takes no new key; then its rule has no effect, and the next one counts.
fn count(text: &mut String, set: &str, key: &str) {
    let _ = writeln!(text, "update @{set} {{ {key} counter }} return");
}

fn declare(text: &mut String, set: &str, key: &str, size: u32) {
    let _ = writeln!(
        text,
        "set {set} {{ type {key}; size {size}; flags dynamic,timeout; timeout {}s; }}",
        FORGETS_AFTER / 1000
    );
}

fn begin(text: &mut String, chain: &str, hook: &str, priority: i32) {
    let _ = writeln!(text, "chain {chain} {{\ntype filter hook {hook} priority {priority}; policy accept;");
}

/// Datagrams are counted, and of a connection its first packet.
fn send_on(text: &mut String, chain: &str) {
    for what in ["udp dport { 53, 853 }", "tcp dport { 53, 853 } tcp flags & (fin|syn|rst|ack) == syn"] {
        for (family, nfproto) in [("4", "ipv4"), ("6", "ipv6")] {
            let _ = writeln!(text, "meta nfproto {nfproto} {what} jump {chain}{family}");
        }
    }
    text.push_str("}\n");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_read_is_declared_once_and_counted_into() {
        for by_group in [true, false] {
            let text = text(4711, by_group);
            for Set { name, kind, .. } in sets() {
                let declared = text.matches(&format!("set {name} {{")).count();
                let expected = match kind {
                    Kind::Group | Kind::GroupRest => usize::from(by_group),
                    Kind::User => usize::from(!by_group),
                    Kind::Rest | Kind::Forwarded | Kind::ForwardedRest | Kind::Others => 1,
                };
                assert_eq!(declared, expected, "{name}");
                assert_eq!(text.contains(&format!("update @{name} {{")), expected == 1, "{name}");
            }
            assert_eq!(text.matches("meta skuid 4711 return").count(), STAGES.len());
        }
    }
}

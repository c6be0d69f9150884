//! The rules themselves, in a table of our own. They are made, replaced and removed in one transaction each; other tables are not
//! touched.

use crate::failure::{Code, Failure};
use crate::place::Place;
use crate::program;

const REMOVE: &str = "add table inet sotto\ndelete table inet sotto\n";

/// Rejects everything that this machine itself sends to port 53, except on loopback and from the service's own user. The user
/// stands for the unit: nftables would store the number that the unit's control group has now, and systemd gives it another
/// one at the next start. Fails where the table exists already.
fn closed(user: u32) -> String {
    format!(
        "create table inet sotto {{
    comment \"DNS goes through Sotto alone: sotto system give-back ends this\";
}}
table inet sotto {{
    chain output {{
        type filter hook output priority filter; policy accept;
        meta l4proto {{ tcp, udp }} th dport 53 jump past_sotto
    }}
    chain past_sotto {{
        oifname \"lo\" accept
        meta skuid {user} accept
        meta l4proto tcp reject with tcp reset
        reject
    }}
}}
"
    )
}

/// Creating the table takes a third of the time that replacing it takes, and names leave until then.
pub async fn close(place: &Place, user: u32) -> Result<(), Failure> {
    let rules = closed(user);
    if run(place, &["-f", "-"], &rules).await.is_ok() {
        return Ok(());
    }
    run(place, &["-f", "-"], &format!("{REMOVE}{rules}")).await
}

pub async fn open(place: &Place) -> Result<(), Failure> {
    run(place, &["-f", "-"], REMOVE).await
}

/// Another program may have flushed all rules.
pub async fn stand(place: &Place) -> bool {
    run(place, &["list", "table", "inet", "sotto"], "").await.is_ok()
}

pub async fn run(place: &Place, words: &[&str], input: &str) -> Result<(), Failure> {
    let nft = place.nft();
    if !nft.exists() {
        return Err(Failure::new(
            Code::MechanismMissing,
            "nftables is not installed",
            "install nftables, so that DNS past Sotto can be counted and rejected",
        ));
    }
    program::succeed(&nft, words, input).await
}

//! Whatever a line holds, what gets through names loopback only, few servers, and links that could exist.
#![no_main]

use libfuzzer_sys::fuzz_target;
use sotto_helper::request::{self, Link, Only, Request, Search, Servers};

fuzz_target!(|line: &[u8]| {
    let Ok(request) = request::read(line) else { return };
    match request {
        Request::TakeLink { link, servers, search } => {
            check_link(&link);
            check_servers(&servers, false);
            check_search(search);
        }
        Request::TakeNetworkManager { servers, search } => {
            check_servers(&servers, true);
            check_search(search);
        }
        Request::TakeResolvconf { servers } | Request::TakeFile { servers } => check_servers(&servers, true),
        Request::GiveBack { only: Some(Only::Link(link)) } => check_link(&link),
        Request::GiveBack { .. }
        | Request::Flush {}
        | Request::Status {}
        | Request::Hold {}
        | Request::ForgetOrphaned { .. } => {}
    }
});

fn check_link(link: &Link) {
    assert!(link.index > 0 && (1..=15).contains(&link.name.len()));
}

/// One line of resolv.conf, whatever is in it.
fn check_search(search: Option<Search>) {
    let names = search.iter().flat_map(Search::all);
    assert!(names.clone().all(|name| name.bytes().all(|octet| octet.is_ascii_graphic() && octet != b'#')));
    assert!(names.map(|name| name.len()).sum::<usize>() <= 1024);
}

fn check_servers(servers: &Servers, on_port_53: bool) {
    assert!((1..=8).contains(&servers.all().len()));
    for server in servers.all() {
        assert!(server.address.is_loopback());
        assert!(!on_port_53 || server.port.get() == 53);
    }
}

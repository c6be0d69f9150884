//! Records of every type, as a real server sends them, are handed on.

use std::net::SocketAddr;
use std::process::Stdio;

use domain::base::Rtype;
use sotto_skip::waiting::until_found;
use tokio::net::UdpSocket;
use tokio::process::{Child, Command};

use crate::stage::clients::{dot, exchange};
use crate::stage::messages::ask;
use crate::stage::program::Folder;
use crate::stage::{self, Stage, loopback};

const ZONE: &str = include_str!("stage/every-type.zone");

struct Nsd(Child);

impl Drop for Nsd {
    fn drop(&mut self) {
        // its parent process ends its children on SIGTERM, which is not what the runtime sends
        let pid = self.0.id().expect("it runs").to_string();
        let _ = std::process::Command::new("kill").arg(pid).status();
    }
}

/// `None`: it is not there, and this was said.
async fn nsd(folder: &Folder) -> Option<(Nsd, SocketAddr)> {
    let address = stage::nobody();
    std::fs::write(folder.0.join("every-type.zone"), ZONE).unwrap();
    let here = folder.0.display();
    let config = format!(
        "server:\n ip-address: {}@{}\n username: \"\"\n chroot: \"\"\n database: \"\"\n zonesdir: \"{here}\"\n \
         pidfile: \"{here}/pid\"\n xfrdfile: \"{here}/xfrd\"\n xfrdir: \"{here}\"\n zonelistfile: \"{here}/zones\"\n\
         remote-control:\n control-enable: no\nzone:\n name: test\n zonefile: every-type.zone\n",
        address.ip(),
        address.port(),
    );
    std::fs::write(folder.0.join("nsd.conf"), config).unwrap();
    let started = ["nsd", "/usr/sbin/nsd"].into_iter().find_map(|program| {
        let mut command = Command::new(program);
        command.args(["-d", "-c", "nsd.conf"]).current_dir(&folder.0);
        command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().ok()
    });
    let Some(child) = started else {
        sotto_skip::skip("no nsd: apt-get install nsd");
        return None;
    };
    let nsd = Nsd(child);
    let probe = UdpSocket::bind(loopback()).await.unwrap();
    let answers = async || {
        let _ = probe.send_to(&ask(1, "ns.test", Rtype::A), address).await;
        probe.try_recv(&mut [0; 512]).ok()
    };
    until_found("it answers", answers).await;
    Some((nsd, address))
}

/// Name and type of each record of the zone, behind those of its apex.
fn asked() -> Vec<(String, Rtype)> {
    let lines = ZONE.lines().filter(|line| !line.starts_with(['$', '@']));
    let fields = lines.map(|line| line.split_whitespace().take(2).collect::<Vec<_>>());
    fields.map(|fields| (format!("{}.test", fields[0]), fields[1].parse().unwrap())).collect()
}

#[tokio::test]
async fn what_a_real_server_sends_is_handed_on() {
    let folder = Folder::new("every-type");
    let Some((_nsd, address)) = nsd(&folder).await else { return };
    let stage = Stage::with(|config| config.backend = stage::forwarding_to(address));
    let mut client = dot(&stage).await;
    for (name, kind) in asked() {
        let query = ask(1, &name, kind);
        let expected = stage::clients::datagram(address, &query).await;
        let reply = exchange(&mut client, &query).await;
        assert!(expected.0.header_counts().ancount() > 0, "{name} {kind}");
        assert_eq!(reply.0.as_slice(), expected.0.as_slice(), "{name} {kind}");
    }
}

//! Programs of several users that send from a new socket each time and close it at once, while other sockets are opened. Whoever is
//! named must be the one who sent. `SOTTO_RACES=100000 cargo test --release -p sotto-attribution --test main race:: -- --nocapture`
//! does it for longer.

#![cfg(target_os = "linux")]

use std::env;
use std::net::UdpSocket;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

use sotto_attribution::{Kernel, Peer, Protocol};

/// Numbers that Debian gives to nobody.
const USERS: [u32; 4] = [64_001, 64_002, 64_003, 64_004];
/// So that all together stay near the most look-ups that the engine makes in a second.
const PACE: Duration = Duration::from_millis(2);
const RACES: usize = 4_000;

/// No test: the program that the other one starts. Every second of its sockets stays open until it hears that it was looked up.
#[test]
fn asker() {
    let (Ok(to), Ok(user)) = (env::var("SOTTO_RACE_TO"), env::var("SOTTO_RACE_USER")) else { return };
    let user: u32 = user.parse().unwrap();
    for number in 0_u32.. {
        let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
        socket.connect(&to).unwrap();
        let stays = number % 2;
        if socket.send(&[user.to_be_bytes(), stays.to_be_bytes()].concat()).is_err() {
            return;
        }
        if stays == 1 && socket.recv(&mut [0]).is_err() {
            return;
        }
        drop(socket);
        sleep(PACE);
    }
}

struct Askers(Vec<Child>);

impl Drop for Askers {
    fn drop(&mut self) {
        for asker in &mut self.0 {
            let _ = asker.kill();
            let _ = asker.wait();
        }
    }
}

#[test]
fn nobody_is_named_for_another() {
    // SAFETY: takes nothing
    if unsafe { libc::geteuid() } != 0 {
        return sotto_skip::skip("programs of other users need root: run it as root");
    }
    let ours = UdpSocket::bind("127.0.0.1:0").unwrap();
    let to = ours.local_addr().unwrap();
    let start = |user: &u32| {
        Command::new(env::current_exe().unwrap())
            .args(["--exact", "race::asker"])
            .env("SOTTO_RACE_TO", to.to_string())
            .env("SOTTO_RACE_USER", user.to_string())
            .uid(*user)
            .stdout(Stdio::null())
            .spawn()
            .unwrap()
    };
    let _askers = Askers(USERS.iter().map(start).collect());
    let races = env::var("SOTTO_RACES").ok().and_then(|races| races.parse().ok()).unwrap_or(RACES);
    let mut kernel = Kernel::open().unwrap();
    let (mut wrong, mut named, mut stayed, mut stayed_named) = (0, 0, 0, 0);
    for _ in 0..races {
        let mut message = [0; 8];
        let (_, address) = ours.recv_from(&mut message).unwrap();
        let holder = kernel.holder(&Peer { protocol: Protocol::Udp, address, to }).unwrap();
        let (user, stays) = message.split_at(4);
        let was_named = usize::from(holder.is_some());
        named += was_named;
        if stays[3] == 1 {
            ours.send_to(&[1], address).unwrap();
            stayed += 1;
            stayed_named += was_named;
        }
        wrong += usize::from(holder.is_some_and(|holder| holder.user.to_be_bytes() != user));
    }
    println!("{races} sockets: {named} named, {wrong} wrongly; {stayed_named} of {stayed} that stayed open");
    assert_eq!((wrong, stayed_named), (0, stayed));
}

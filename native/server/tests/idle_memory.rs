//! What a connection on which nothing happens keeps of the heap, and that all of it is given back. A program of its own, because it
//! counts with the process's allocator.

#[allow(dead_code, unused_imports)] // the other program uses all of it
mod stage;

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::future::pending;
use std::sync::atomic::{AtomicIsize, Ordering::Relaxed};
use std::thread;

use domain::base::Rtype;
use sotto_skip::waiting::within;
use stage::Stage;
use stage::clients::{Tls, dot, exchange};
use stage::messages::ask;
use tokio::net::TcpStream;
use tokio::runtime::{Builder, Runtime};

/// Octets that the server's thread holds.
static HELD: AtomicIsize = AtomicIsize::new(0);

thread_local! {
    static IS_SERVER: Cell<bool> = const { Cell::new(false) };
}

struct Counting;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn count(octets: isize) {
    if IS_SERVER.get() {
        HELD.fetch_add(octets, Relaxed);
    }
}

// SAFETY: the system's allocator does the work; counting touches nothing but numbers without a destructor
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size() as isize);
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        count(-(layout.size() as isize));
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count(size as isize - layout.size() as isize);
        unsafe { System.realloc(pointer, layout, size) }
    }
}

/// Before these are open, the server's own tables grow.
const FIRST: usize = 100;
const MORE: usize = 256;

fn runtime() -> Runtime {
    Builder::new_current_thread().enable_all().build().unwrap()
}

/// The server runs on a thread of its own, which is counted.
fn stage() -> Stage {
    let runtime = runtime();
    let stage = {
        let _inside = runtime.enter();
        Stage::new()
    };
    thread::spawn(move || {
        IS_SERVER.set(true);
        runtime.block_on(pending::<()>());
    });
    stage
}

async fn dot_that_asked(stage: &Stage) -> Tls {
    let mut tls = dot(stage).await;
    exchange(&mut tls, &ask(1, "www.test", Rtype::A)).await;
    tls
}

async fn tcp_that_asked(stage: &Stage) -> TcpStream {
    let mut tcp = TcpStream::connect(stage.starttls()).await.unwrap();
    exchange(&mut tcp, &ask(1, "www.test", Rtype::A)).await;
    tcp
}

/// Octets of each connection.
async fn held_by_each<T>(open: impl AsyncFn() -> T) -> usize {
    let mut connections = Vec::new();
    for _ in 0..FIRST {
        connections.push(open().await);
    }
    let before = HELD.load(Relaxed);
    for _ in 0..MORE {
        connections.push(open().await);
    }
    let held = HELD.load(Relaxed) - before;
    drop(connections);
    let given_back = async {
        while HELD.load(Relaxed) > before {
            open().await;
        }
    };
    within("it is given back", given_back).await;
    held as usize / MORE
}

/// One test, because there is one counter.
#[test]
fn an_idle_connection_holds_little_and_gives_it_back() {
    let stage = stage();
    runtime().block_on(async {
        let tls = held_by_each(|| dot_that_asked(&stage)).await;
        assert!((2_000..=4_224).contains(&tls), "{tls} octets inside TLS");
        let tcp = held_by_each(|| tcp_that_asked(&stage)).await;
        assert!((1_000..=2_048).contains(&tcp), "{tcp} octets in cleartext");
        println!("octets on the heap: {tls} inside TLS, {tcp} in cleartext");
    });
}

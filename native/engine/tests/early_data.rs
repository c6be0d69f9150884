//! The question that opens a connection, sent with the hello.

mod world;

use serde_json::{Value, json};
use sotto_engine::events::event::Event;
use sotto_engine::outcome::{ClientProtocol, Cost};
use sotto_engine::wire::header::{Header, rcode};
use sotto_engine::wire::types;
use world::World;
use world::early_server::{ALLOWED, EarlyServer};
use world::tap::Tap;

struct Scene {
    world: World,
    server: EarlyServer,
    asked: usize,
}

impl Scene {
    async fn with(early_data: u32, change: impl FnOnce(&mut Value)) -> Self {
        let (world, server) = (World::new(), EarlyServer::start(early_data));
        let mut upstream = json!({
            "id": "early", "transport": "dot", "addresses": [server.address], "names": [world::NAME],
            "ca": server.authority, "earlyData": true,
        });
        change(&mut upstream);
        world.apply(vec![upstream]).await;
        Self { world, server, asked: 0 }
    }

    /// A name that nobody asked for before; it is answered.
    async fn ask(&mut self) -> Event {
        self.asked += 1;
        let query = world::query(&format!("n{}.wild.example", self.asked), types::A);
        let (reply, event) = self.world.engine.ask_as(ClientProtocol::Udp, query).await;
        assert_eq!(Header::read(&reply).unwrap().rcode(), rcode::NOERROR);
        event.unwrap()
    }

    /// The connection ends, and the next question opens another.
    async fn cut(&self) {
        self.server.cut();
        self.world.until_idle().await;
    }
}

#[tokio::test]
async fn a_question_with_the_hello_costs_no_round_trip_of_its_own() {
    let mut scene = Scene::with(ALLOWED, |_| {}).await;
    scene.ask().await;
    assert_eq!(scene.server.seen().early, 0, "never with a fresh session");
    scene.cut().await;
    let second = scene.ask().await;
    assert_eq!((second.cost, second.round_trips), (Cost::Resumed, 2));
    let third = scene.ask().await;
    assert_eq!((third.cost, third.round_trips), (Cost::Reused, 1));
    let seen = scene.server.seen();
    assert_eq!((seen.full, seen.resumed, seen.early, seen.questions), (1, 1, 1, 3));
}

#[tokio::test]
async fn sotto_server_takes_it() {
    let world = World::with(|config| config.early_data = true);
    let tap = Tap::before(world.server.dot()[0]).await;
    let mut upstream = world.dot();
    upstream["addresses"] = json!([tap.address]);
    upstream["earlyData"] = json!(true);
    // kept warm, the connection would be there before the question that is to open it
    let client =
        world.apply_with(vec![upstream], |config| config["connections"] = json!({"keepWarm": false})).await;
    assert_eq!(client.ask("www.example", types::A).await.rcode, rcode::NOERROR);
    tap.cut();
    world.until_idle().await;
    let (_, event) =
        world.engine.ask_as(ClientProtocol::Udp, world::query("n1.wild.example", types::A)).await;
    let event = event.unwrap();
    assert_eq!((event.cost, event.round_trips), (Cost::Resumed, 2));
    let stats = world.server.stats();
    assert_eq!((stats.handshakes.resumed, stats.handshakes.early, stats.questions.tls), (1, 1, 2));
}

#[tokio::test]
async fn without_the_setting_nothing_goes_early() {
    let mut scene = Scene::with(ALLOWED, |upstream| upstream["earlyData"] = json!(false)).await;
    scene.ask().await;
    scene.cut().await;
    let second = scene.ask().await;
    assert_eq!((second.cost, second.round_trips), (Cost::Resumed, 3));
    assert_eq!(scene.server.seen().early, 0);
}

#[tokio::test]
async fn a_test_of_the_upstream_says_what_it_would_take() {
    for (allowed, told) in [(ALLOWED, Some(ALLOWED as usize)), (0, None)] {
        let scene = Scene::with(allowed, |_| {}).await;
        let report = scene.world.engine.test_upstream("early").await.unwrap();
        assert!(report.ok, "{:?}", report.error);
        assert_eq!(report.early_data, told);
        assert_eq!(scene.server.seen().early, 0, "and sends nothing early itself");
    }
}

#[tokio::test]
async fn it_goes_early_after_starttls_as_well() {
    let mut scene = Scene::with(ALLOWED, |upstream| upstream["transport"] = json!("tdns")).await;
    scene.ask().await;
    scene.cut().await;
    let second = scene.ask().await;
    assert_eq!((second.cost, second.round_trips), (Cost::Resumed, 3));
    let seen = scene.server.seen();
    assert_eq!((seen.resumed, seen.early, seen.questions), (1, 1, 2));
}

#[tokio::test]
async fn a_ticket_that_allows_none_is_used_without() {
    for allowed in [0, 100] {
        let mut scene = Scene::with(allowed, |_| {}).await;
        scene.ask().await;
        scene.cut().await;
        let second = scene.ask().await;
        assert_eq!((second.cost, second.round_trips), (Cost::Resumed, 3), "{allowed}");
        assert_eq!((scene.server.seen().early, scene.server.seen().questions), (0, 2), "{allowed}");
    }
}

#[tokio::test]
async fn a_server_that_refuses_it_is_asked_again_and_answers_once() {
    let mut scene = Scene::with(ALLOWED, |_| {}).await;
    scene.ask().await;
    scene.cut().await;
    scene.server.allow(0);
    let second = scene.ask().await;
    assert_eq!((second.cost, second.round_trips), (Cost::Resumed, 3));
    let seen = scene.server.seen();
    assert_eq!((seen.resumed, seen.early, seen.questions), (1, 0, 2));
}

#[tokio::test]
async fn a_server_that_lost_its_keys_makes_a_full_handshake_and_answers() {
    let mut scene = Scene::with(ALLOWED, |_| {}).await;
    scene.ask().await;
    scene.cut().await;
    scene.server.lose_keys(ALLOWED);
    let second = scene.ask().await;
    assert_eq!((second.cost, second.round_trips), (Cost::Cold, 3));
    let seen = scene.server.seen();
    assert_eq!((seen.full, seen.resumed, seen.early, seen.questions), (2, 0, 0, 2));
    scene.cut().await;
    assert_eq!(scene.ask().await.round_trips, 2, "the tickets in stock are those of the new keys");
}

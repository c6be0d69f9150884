//! Settings in a file, checked before they are used, and read anew while the server runs.

use domain::base::Rtype;
use sotto_skip::waiting::until;
use tokio::net::TcpStream;

use crate::stage;
use crate::stage::clients::datagram;
use crate::stage::messages::ask;
use crate::stage::program::{Folder, Running};

const WHOLE: &str = "zone = 'test.zone'\norigin = 'test'\nstarttls = '127.0.0.1:0'\ndot = ['127.0.0.1:0', '[::1]:0']\n\
     certificate = 'one.pem'\nkey = 'one.key'\nudp-unproven = 'full'\n";

/// Exit code, standard output, standard error.
async fn check(folder: &Folder, arguments: &str) -> (i32, String, String) {
    let output = folder.command().arg("check").args(arguments.split_whitespace()).output().await.unwrap();
    let text = |octets| String::from_utf8(octets).unwrap();
    (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
}

async fn answers(running: &Running) -> usize {
    datagram(running.address("starttls", 0), &ask(1, "later.test", Rtype::A)).await.answers().len()
}

#[tokio::test]
async fn a_file_says_what_flags_say_and_flags_count() {
    let folder = Folder::new("config");
    folder.certify("one");
    folder.write("server.toml", &format!("{WHOLE}threads = 1\nstats = true\n"));
    let mut command = folder.command();
    command.args("--config server.toml --dot 127.0.0.1:0 127.0.0.1:0 127.0.0.1:0".split(' '));
    let mut running = Running::start(&mut command).await;
    assert_eq!(running.ready["certificate"], "one.pem");
    assert_eq!(running.ready["dot"].as_array().unwrap().len(), 3, "the command line's");
    assert!((0..3).all(|at| running.address("dot", at).is_ipv4()));
    running.signal("-TERM").await;
    assert_eq!(running.line().await["event"], "stats");
}

#[tokio::test]
async fn every_fault_of_a_file_and_of_what_it_names_is_told_at_once_and_nothing_is_listened_on() {
    let folder = Folder::new("faults");
    folder.certify("one");
    folder.certify("two");
    folder.write("broken.zone", "@ 60 SOA a b 1 2 3 4 5\nwww 60 A 1.2.3.400\n");
    folder.write("short.key", "too short");
    let text = "zone = 'broken.zone'\nidle = 'soon'\nidel = '5s'\nstarttls = '127.0.0.1:5399'\ndot = '127.0.0.1:5399'\n\
         certificate = 'one.pem'\nkey = 'two.key'\nencdns = 'enc.test'\nencdns-key = 'short.key'\n";
    folder.write("server.toml", text);
    let (status, checked, complaints) = check(&folder, "--config server.toml").await;
    assert_eq!((status, checked.as_str()), (2, ""));
    let expected = [
        ["server.toml, line 2: idle = \"soon\"", "60s"],
        ["server.toml, line 3", "is \"idle\" meant?"],
        ["127.0.0.1:5399 is taken twice", "starttls and by dot"],
        ["broken.zone, line 2", ""],
        ["short.key has 9 octets", ""],
        ["two.key", "is it the key of one.pem?"],
    ];
    let lines: Vec<_> = complaints.lines().collect();
    assert_eq!(lines.len(), expected.len(), "{complaints}");
    for (line, words) in lines.iter().zip(expected) {
        assert!(words.iter().all(|word| line.contains(word)), "{line}: {words:?}");
    }
    let (status, complaint) = folder.refused("--config server.toml").await;
    assert_eq!(status, 2);
    assert!(complaint.contains("line 2") && complaint.contains("line 3"), "{complaint}");
}

#[tokio::test]
async fn what_is_missing_or_contradicts_is_told_by_check_and_by_a_start() {
    let folder = Folder::new("contradictions");
    folder.certify("one");
    for (text, arguments, words) in [
        ("zone = 'test.zone'\n", "", ["--starttls", "--dot"]),
        ("zone = 'test.zone'\ndot = '127.0.0.1:0'\ncertificate = 'one.pem'\n", "", ["required", "--key"]),
        (
            "zone = 'test.zone'\ndot = '127.0.0.1:0'\nself-signed = 'a'\n",
            "--to 127.0.0.1",
            ["--to", "cannot be used with"],
        ),
        ("zone = 'test.zone'\ndot = '127.0.0.1:0'\n", "", ["TLS needs a certificate", "--self-signed"]),
        (
            "to = '127.0.0.1:5399'\nstarttls = '127.0.0.1:5399'\nself-signed = 'a'\n",
            "",
            ["--to", "leads back"],
        ),
        ("dot = [", "", ["server.toml, line 1", ""]),
        (
            "zone = 'test.zone'\ndot = '127.0.0.1:0'\ncertificate = 'one.pem'\nkey = 'one.key'\ncertificate-out = 'x.pem'\n",
            "",
            ["--certificate-out", "cannot be used with"],
        ),
    ] {
        folder.write("server.toml", text);
        let arguments = format!("--config server.toml {arguments}");
        let (status, _, complaint) = check(&folder, &arguments).await;
        assert!(
            status == 2 && words.iter().all(|word| complaint.contains(word)),
            "{text}: {status} {complaint}"
        );
        let (status, complaint) = folder.refused(&arguments).await;
        assert!(
            status == 2 && words.iter().all(|word| complaint.contains(word)),
            "{text}: {status} {complaint}"
        );
    }
    let (status, _, complaint) = check(&folder, "--config missing.toml").await;
    assert!(status == 2 && complaint.contains("cannot read --config missing.toml"), "{complaint}");
    assert_eq!(complaint.lines().count(), 1, "what is missing may be in that file: {complaint}");
    let (status, _, complaint) = check(&folder, "--idle 5").await;
    assert!(status == 2 && complaint.contains("--idle"), "{complaint}");
}

#[tokio::test]
async fn a_check_says_what_would_run_and_until_when_and_binds_nothing() {
    let folder = Folder::new("check");
    folder.certify("one");
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap();
    folder.write(
        "server.toml",
        &format!("{WHOLE}starttls = '{address}'\n").replacen("starttls = '127.0.0.1:0'\n", "", 1),
    );
    let (status, checked, complaints) = check(&folder, "--config server.toml").await;
    assert_eq!((status, complaints.as_str()), (0, ""));
    let checked: serde_json::Value = serde_json::from_str(&checked).unwrap();
    assert_eq!((&checked["event"], &checked["zone"]), (&"checked".into(), &"test.zone".into()));
    assert_eq!(checked["apex"], "test");
    assert_eq!(checked["starttls"], serde_json::json!([address]));
    assert_eq!(checked["expires"], "4096-01-01T00:00:00Z", "as rcgen makes them");
    assert_eq!(checked["pin"].as_str().unwrap().len(), 44);
}

#[tokio::test]
async fn a_certificate_out_of_its_time_has_a_status_of_its_own_and_takes_the_place_of_no_better_one() {
    let folder = Folder::new("expired");
    for (years, words) in [((2001, 2002), "expired on 2002-"), ((4000, 4001), "good from 4000-")] {
        let mut params = rcgen::CertificateParams::new(vec!["dns.test".into()]).unwrap();
        params.not_before = rcgen::date_time_ymd(years.0, 1, 1);
        params.not_after = rcgen::date_time_ymd(years.1, 1, 1);
        let key = rcgen::KeyPair::generate().unwrap();
        folder.write("one.pem", &params.self_signed(&key).unwrap().pem());
        folder.write("one.key", &key.serialize_pem());
        folder.write("server.toml", WHOLE);
        let (status, _, complaint) = check(&folder, "--config server.toml").await;
        assert!(status == 3 && complaint.contains(words) && complaint.contains("one.pem"), "{complaint}");
        let mut running = Running::start(folder.command().args(["--config", "server.toml"])).await;
        assert!(running.complaint().await.contains(words));
        // it is served already
        running.signal("-HUP").await;
        assert!(running.complaint().await.contains(words));
        assert_eq!(running.line().await["event"], "renewed");
        running.child.kill().await.unwrap();

        let (expired, its_key) = (folder.read("one.pem"), folder.read("one.key"));
        folder.certify("one");
        let mut running = Running::start(folder.command().args(["--config", "server.toml"])).await;
        folder.write("one.pem", &expired);
        folder.write("one.key", &its_key);
        running.signal("-HUP").await;
        let said = running.complaint().await;
        assert!(said.contains("nothing was changed") && said.contains(words), "{said}");
        running.child.kill().await.unwrap();
    }
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_check_whose_result_nobody_can_read_fails() {
    let folder = Folder::new("full");
    folder.certify("one");
    folder.write("server.toml", WHOLE);
    let full = std::fs::File::options().write(true).open("/dev/full").unwrap();
    let mut command = folder.command();
    let child = command.args(["check", "--config", "server.toml"]).stdout(full).spawn().unwrap();
    let output = child.wait_with_output().await.unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.code() == Some(1) && said.contains("standard output"), "{said}");
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn where_descriptors_are_few_idle_connections_give_way_and_the_start_says_so() {
    let folder = Folder::new("few");
    folder.certify("one");
    folder.write("server.toml", &format!("{WHOLE}threads = 1\n"));
    let mut command = folder.command_behind("prlimit", &["--nofile=64"]);
    let mut running = Running::start(command.args(["--config", "server.toml"])).await;
    let said = running.complaint().await;
    assert!(
        said.contains("--limit-connections 10000") && said.contains("for 48") && said.contains("LimitNOFILE"),
        "{said}"
    );
    let mut idle = vec![];
    for _ in 0..80 {
        idle.push(TcpStream::connect(running.address("starttls", 0)).await.unwrap());
    }
    let mut newcomer = TcpStream::connect(running.address("starttls", 0)).await.unwrap();
    assert_eq!(stage::clients::exchange(&mut newcomer, &ask(7, "www.test", Rtype::A)).await.id(), 7);
    running.child.kill().await.unwrap();
}

#[tokio::test]
async fn a_secret_of_tickets_moves_on_in_the_file_that_a_reload_took() {
    let folder = Folder::new("moved");
    folder.certify("one");
    for name in ["first", "second"] {
        let made = folder.command().args(["ticket-secret", name]).output().await.unwrap();
        assert!(made.status.success());
    }
    let aged = |name: &str| {
        let text = folder.read(name);
        let hour: u64 = text.lines().find_map(|line| line.strip_prefix("hour = ")).unwrap().parse().unwrap();
        text.replace(&format!("hour = {hour}"), &format!("hour = {}", hour - 20))
    };
    folder.write("server.toml", &format!("{WHOLE}ticket-secret = 'first'\n"));
    let mut running = Running::start(folder.command().args(["--config", "server.toml"])).await;
    let (first, second) = (folder.read("first"), aged("second"));
    folder.write("second", &second);
    folder.write("server.toml", &format!("{WHOLE}ticket-secret = 'second'\n"));
    running.signal("-HUP").await;
    running.line().await;
    until("it moves on", || folder.read("second") != second).await;
    assert_eq!(folder.read("first"), first);
    running.child.kill().await.unwrap();
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_hangup_makes_room_for_the_descriptors_of_more_connections() {
    let folder = Folder::new("descriptors");
    folder.certify("one");
    folder.write("server.toml", &format!("{WHOLE}limit-connections = 10\n"));
    let mut running = Running::start(folder.command().args(["--config", "server.toml"])).await;
    let status = format!("/proc/{}/status", running.child.id().unwrap());
    let room = || -> usize {
        let status = std::fs::read_to_string(&status).unwrap();
        status.lines().find_map(|line| line.strip_prefix("FDSize:")).unwrap().trim().parse().unwrap()
    };
    assert!(room() < 3000);
    folder.write("server.toml", &format!("{WHOLE}limit-connections = 3000\n"));
    running.signal("-HUP").await;
    until("there is room", || room() >= 3000).await;
    running.child.kill().await.unwrap();
}

#[cfg(unix)]
#[tokio::test]
async fn a_hangup_takes_what_can_change_and_names_what_cannot() {
    let folder = Folder::new("reload");
    folder.certify("one");
    folder.certify("two");
    folder.write("server.toml", WHOLE);
    let mut running = Running::start(folder.command().args(["--config", "server.toml"])).await;
    let pin = running.ready["pin"].clone();
    folder.write("other.zone", &format!("{}\nlater.test. 60 A 192.0.2.77\n", stage::ZONE));

    // one fault, and nothing of the rest is taken
    let other = WHOLE.replace("test.zone", "other.zone").replace("one.", "two.");
    folder.write("server.toml", &format!("{other}idle = 5\n"));
    running.signal("-HUP").await;
    let said = running.complaint().await;
    assert!(said.contains("nothing was changed") && said.contains("server.toml, line 8: idle"), "{said}");
    assert_eq!(answers(&running).await, 0);

    folder.write(
        "server.toml",
        &format!("{other}limit-connections = 1\nthreads = 7\nproxy-from = '127.0.0.1'\n"),
    );
    running.signal("-HUP").await;
    assert_eq!(running.complaint().await, "sotto-server: threads needs a restart: it stays as it was");
    let renewed = running.line().await;
    assert!(renewed["pin"].is_string() && renewed["pin"] != pin, "{renewed}");
    assert_eq!(answers(&running).await, 1);
    let mut unnamed = TcpStream::connect(running.address("starttls", 0)).await.unwrap();
    tokio::io::AsyncWriteExt::write_all(&mut unnamed, b"sixteen octets or more").await.unwrap();
    let ended = tokio::io::AsyncReadExt::read(&mut unnamed, &mut [0; 1]).await;
    assert!(matches!(ended, Ok(0) | Err(_)), "a balancer has to say whose connection it is");

    // what was there at the start does not go, and what was not does not come
    let without = other.replace("certificate = 'two.pem'\nkey = 'two.key'\n", "self-signed = 'dns.test'\n");
    folder.write("server.toml", &without);
    running.signal("-HUP").await;
    for key in ["certificate", "key", "self-signed"] {
        assert_eq!(
            running.complaint().await,
            format!("sotto-server: {key} needs a restart: it stays as it was")
        );
    }
    assert_eq!(running.line().await["pin"], serde_json::Value::Null);
    running.child.kill().await.unwrap();
}

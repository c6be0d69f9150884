//! The program as a person or a service manager starts it.

use domain::base::Rtype;
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::Command;

use crate::stage;
use crate::stage::program::{Folder, Running, files};

#[tokio::test]
async fn wrong_arguments_are_refused_with_the_argument_and_the_remedy() {
    let folder = Folder::new("arguments");
    const DOOR: &str = "--starttls 127.0.0.1:0";
    for (arguments, words) in [
        (String::new(), vec!["--zone", "--to"]),
        (format!("--zone a --to 127.0.0.1 {DOOR} --self-signed a"), vec!["cannot be used with"]),
        ("--zone test.zone --self-signed a".into(), vec!["--starttls", "--dot"]),
        (format!("--zone test.zone {DOOR}"), vec!["--certificate", "--self-signed"]),
        (format!("--zone test.zone {DOOR} --certificate c.pem"), vec!["--key"]),
        (format!("--zone test.zone {DOOR} --certificate c.pem --key k.pem"), vec!["c.pem", "PEM"]),
        (
            format!("--zone test.zone {DOOR} --certificate c --key k --self-signed a"),
            vec!["cannot be used with"],
        ),
        (format!("--zone missing.zone {DOOR} --self-signed a"), vec!["missing.zone", "cannot read"]),
        (format!("--zone test.zone --origin a..b {DOOR} --self-signed a"), vec!["--origin", "a..b"]),
        ("--to 127.0.0.1:5399 --starttls 0.0.0.0:5399 --self-signed a".into(), vec!["--to", "leads back"]),
        (
            "--stub-zone a=127.0.0.1 --dot 0.0.0.0:853 --starttls 127.0.0.1:0 --self-signed a".into(),
            vec!["--stub-zone opportunistic://127.0.0.1:53 leads back", "0.0.0.0:853"],
        ),
        (
            format!("--stub-zone a=192.0.2.1 --stub-zone A.=192.0.2.2 {DOOR} --self-signed a"),
            vec!["--stub-zone a", "twice"],
        ),
        (
            format!("--stub-zone a=192.0.2.1 --stub-zone a=192.0.2.2 --ca no.pem {DOOR} --self-signed a"),
            vec!["--stub-zone a", "twice", "cannot read --ca no.pem"],
        ),
        (format!("--stub-zone a=here {DOOR} --self-signed a"), vec!["\"here\" is not an address"]),
        (format!("--to dot://192.0.2.1 --ca no.pem {DOOR} --self-signed a"), vec!["cannot read --ca no.pem"]),
        (
            format!("--to dot://192.0.2.1#a.test --ca test.zone {DOOR} --self-signed a"),
            vec!["dot://192.0.2.1:853#a.test", "PEM"],
        ),
        ("--zone test.zone --dot localhost:853 --self-signed a".into(), vec!["localhost:853", "[::1]:5353"]),
        (format!("--zone test.zone {DOOR} --self-signed a --delay 20"), vec!["20ms", "--delay"]),
        (format!("--zone test.zone {DOOR} --self-signed a --idle 0s"), vec!["--idle"]),
        (format!("--zone test.zone {DOOR} --self-signed a --limit-in-flight 0"), vec!["--limit-in-flight"]),
        (format!("--zone test.zone {DOOR} --self-signed a --signal maybe"), vec!["maybe", "decline"]),
        (format!("--zone test.zone {DOOR} --self-signed a --limit-memory -1"), vec!["-1", "--limit-memory"]),
        (
            format!("--zone test.zone {DOOR} --self-signed a --threads 5000"),
            vec!["--threads", "at most 1024"],
        ),
        (format!("--zone test.zone {DOOR} --certificate-out x.pem --signal decline"), vec!["--self-signed"]),
        (
            format!("--zone test.zone {DOOR} --self-signed a --certificate-out no/where.pem"),
            vec!["no/where.pem"],
        ),
    ] {
        let (status, complaint) = folder.refused(&arguments).await;
        assert_eq!(status, 2, "{arguments}: {complaint}");
        for word in words {
            assert!(complaint.contains(word), "{arguments}: {complaint:?} lacks {word:?}");
        }
    }
    assert_eq!(files(&folder.0), ["test.zone"], "nothing half-written");
}

#[tokio::test]
async fn a_broken_zone_file_is_named_by_line_and_nothing_is_listened_on() {
    let folder = Folder::new("zone");
    const SOA: &str = "@ 60 SOA a b 1 2 3 4 5\n";
    for (text, words) in [
        (format!("{SOA}www 60 A 1.2.3.400\n"), "broken.zone, line 2:"),
        (format!("{SOA}www 1h A 192.0.2.1\n"), "such as 3600 for 1h"),
        (format!("$TTL 1d\n{SOA}"), "line 1: expected decimal number: write times in seconds"),
        (format!("{SOA}$GENERATE 1-2 a$ A 192.0.2.$\n"), "there are $ORIGIN and $TTL"),
    ] {
        folder.write("broken.zone", &text);
        let (status, complaint) = folder
            .refused("--zone broken.zone --starttls 127.0.0.1:0 --self-signed a --certificate-out ca.pem")
            .await;
        assert_eq!(status, 2);
        assert!(complaint.contains(words), "{complaint}");
        assert!(!folder.0.join("ca.pem").exists());
    }
}

#[tokio::test]
async fn an_address_in_use_is_named_with_the_remedy() {
    let folder = Folder::new("in-use");
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap();
    let (status, complaint) =
        folder.refused(&format!("--zone test.zone --origin test --dot {address} --self-signed a")).await;
    assert_eq!(status, 1, "{complaint}");
    assert!(complaint.contains(&address.to_string()) && complaint.contains("choose another"), "{complaint}");
}

/// No machine has it (RFC 5737).
const ELSEWHERE: &str = "192.0.2.77:0";

#[cfg(target_os = "linux")]
#[tokio::test]
async fn an_address_that_is_not_there_yet_keeps_no_other_one_from_serving() {
    let folder = Folder::new("elsewhere");
    let mut command = folder.command();
    let words = format!(
        "--zone test.zone --origin test --signal decline --starttls 127.0.0.1:0 {ELSEWHERE} [fe80::1%4294967295]:0 --metrics {ELSEWHERE}"
    );
    let mut running = Running::start(command.args(words.split(' '))).await;
    let soon = "192.0.2.77:0 is not an address of this machine now; it is served as soon as it is one";
    for expected in [soon, "it is served after a restart", soon] {
        let said = running.complaint().await;
        assert!(said.contains(expected), "{said}");
    }
    let doors = running.ready["starttls"].as_array().unwrap();
    assert!(doors.len() == 2 && running.address("starttls", 1).port() > 0, "{doors:?}");
    let mut client = tokio::net::TcpStream::connect(running.address("starttls", 0)).await.unwrap();
    let reply = stage::clients::exchange(&mut client, &stage::messages::ask(7, "www.test", Rtype::A)).await;
    assert_eq!(reply.id(), 7);
}

#[tokio::test]
async fn where_no_address_is_one_of_this_machine_that_is_an_error() {
    let folder = Folder::new("nowhere");
    let arguments =
        format!("--zone test.zone --origin test --self-signed a --starttls {ELSEWHERE} --dot {ELSEWHERE}");
    let (status, complaint) = folder.refused(&arguments).await;
    assert!(status == 1 && complaint.contains("this machine has no such address"), "{complaint}");
}

#[tokio::test]
async fn a_key_that_is_not_the_certificates_is_refused() {
    let folder = Folder::new("key");
    for name in ["one", "two"] {
        let made = rcgen::generate_simple_self_signed(vec![name.into()]).unwrap();
        std::fs::write(folder.0.join(format!("{name}.pem")), made.cert.pem()).unwrap();
        std::fs::write(folder.0.join(format!("{name}.key")), made.signing_key.serialize_pem()).unwrap();
    }
    const REST: &str = "--zone test.zone --origin test --dot 127.0.0.1:0";
    let (status, complaint) = folder.refused(&format!("{REST} --certificate one.pem --key two.key")).await;
    assert_eq!(status, 2);
    assert!(complaint.contains("two.key") && complaint.contains("one.pem"), "{complaint}");
    let (mut child, _, ready) = folder.start(&format!("{REST} --certificate one.pem --key one.key")).await;
    assert_eq!(ready["certificate"], "one.pem");
    child.kill().await.unwrap();
}

#[tokio::test]
async fn the_help_teaches() {
    let folder = Folder::new("help");
    let output = folder.command().arg("--help").output().await.unwrap();
    let help = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success());
    for word in ["Examples:", "openssl req", "kdig", "--delay", "SIGUSR1", "SIGHUP"] {
        assert!(help.contains(word), "{word}");
    }
}

#[cfg(unix)]
#[tokio::test]
async fn it_says_where_it_listens_counts_on_request_and_stops_when_told() {
    let folder = Folder::new("life");
    let (mut child, mut lines, ready) = folder
        .start(
            "--zone test.zone --origin test --starttls 127.0.0.1:0 127.0.0.1:0 --dot [::1]:0 \
             --self-signed localhost,127.0.0.1 --certificate-out ca.pem --stats",
        )
        .await;
    assert_eq!(ready["event"], "ready");
    assert_eq!(ready["starttls"].as_array().unwrap().len(), 2);
    assert!(ready["dot"][0].as_str().unwrap().starts_with("[::1]:"));
    assert_eq!(ready["pin"].as_str().unwrap().len(), 44);
    assert_eq!(ready["certificate"], "ca.pem");
    assert_eq!(files(&folder.0), ["ca.pem", "test.zone"]);
    assert!(std::fs::read_to_string(folder.0.join("ca.pem")).unwrap().starts_with("-----BEGIN CERTIFICATE"));

    let address = ready["starttls"][1].as_str().unwrap().parse().unwrap();
    let question = stage::messages::ask(1, "www.test", domain::base::Rtype::A);
    // a client that shows no cookie gets no more than it sent, unless the command line says otherwise
    assert_eq!(stage::clients::datagram(address, &question).await.octets(), question.len());
    let signal = async |name: &str| {
        let pid = child.id().unwrap().to_string();
        assert!(Command::new("kill").args([name, &pid]).status().await.unwrap().success());
    };
    signal("-USR1").await;
    let counters: serde_json::Value =
        serde_json::from_str(&lines.next_line().await.unwrap().unwrap()).unwrap();
    assert_eq!((&counters["event"], &counters["queries"]["udp"]), (&"stats".into(), &1.into()));
    let boxed = serde_json::json!({
        "answered": 0, "copies": 0, "not_opened": 0, "over_client_limit": 0, "over_resolver_limit": 0,
        "for_older_keys": 0, "shared_keys": 0,
    });
    assert_eq!(counters["encdns"], boxed);
    signal("-TERM").await;
    let last: serde_json::Value = serde_json::from_str(&lines.next_line().await.unwrap().unwrap()).unwrap();
    assert_eq!(last, counters, "nothing happened since");
    assert!(child.wait().await.unwrap().success());
}

#[cfg(unix)]
#[tokio::test]
async fn a_hangup_reads_the_files_anew_or_changes_nothing() {
    let folder = Folder::new("renewal");
    let certify = || {
        let made = rcgen::generate_simple_self_signed(vec!["dns.test".into()]).unwrap();
        std::fs::write(folder.0.join("chain.pem"), made.cert.pem()).unwrap();
        std::fs::write(folder.0.join("key.pem"), made.signing_key.serialize_pem()).unwrap();
    };
    certify();
    let mut child = folder
        .command()
        .args("--zone test.zone --origin test --starttls 127.0.0.1:0 --udp-unproven full".split(' '))
        .args(["--certificate", "chain.pem", "--key", "key.pem"])
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut complaints = BufReader::new(child.stderr.take().unwrap()).lines();
    let read = |line: Option<String>| -> serde_json::Value { serde_json::from_str(&line.unwrap()).unwrap() };
    let ready = read(lines.next_line().await.unwrap());
    let address = ready["starttls"][0].as_str().unwrap().parse().unwrap();
    let pid = child.id().unwrap().to_string();
    let hang_up = async || {
        assert!(Command::new("kill").args(["-HUP", &pid]).status().await.unwrap().success());
    };
    let answers = async || {
        let question = stage::messages::ask(1, "later.test", domain::base::Rtype::A);
        stage::clients::datagram(address, &question).await.answers().len()
    };

    let zone = format!("{}\nlater.test. 60 A 192.0.2.77\n", stage::ZONE);
    std::fs::write(folder.0.join("test.zone"), &zone).unwrap();
    std::fs::write(folder.0.join("chain.pem"), "no certificate").unwrap();
    hang_up().await;
    let mut said = complaints.next_line().await.unwrap().unwrap();
    if said.contains("Fast Open") {
        said = complaints.next_line().await.unwrap().unwrap();
    }
    assert!(said.contains("nothing was changed") && said.contains("chain.pem"), "{said}");
    assert_eq!(answers().await, 0, "neither was the zone");

    certify();
    hang_up().await;
    let renewed = read(lines.next_line().await.unwrap());
    assert_eq!(renewed["event"], "renewed");
    assert!(renewed["pin"].is_string() && renewed["pin"] != ready["pin"]);
    assert_eq!(answers().await, 1);
    child.kill().await.unwrap();
}

#[tokio::test]
async fn a_key_of_a_zone_is_made_once_and_wrong_ones_are_refused() {
    let folder = Folder::new("encdns");
    let make = || folder.command().args(["encdns-key", "--zone", "enc.test", "enc.key"]).output();
    let (first, again) = (make().await.unwrap(), make().await.unwrap());
    let line = String::from_utf8(first.stdout).unwrap();
    assert!(line.starts_with("encdns://enc.test?key=") && line.trim_end().len() == 22 + 64, "{line}");
    assert_eq!(String::from_utf8(again.stdout).unwrap(), line, "the key that is there");

    std::fs::write(folder.0.join("short.key"), [7; 31]).unwrap();
    std::fs::copy(folder.0.join("enc.key"), folder.0.join("copy.key")).unwrap();
    const SERVER: &str = "--zone test.zone --starttls 127.0.0.1:0 --signal decline";
    for (arguments, words) in [
        (format!("{SERVER} --encdns enc.test"), "--encdns-key"),
        (format!("{SERVER} --encdns enc.test --encdns-key short.key"), "has 31 octets"),
        (format!("{SERVER} --encdns enc.test --encdns-key missing.key"), "missing.key"),
        (
            format!("{SERVER} --encdns enc.test --encdns-key enc.key --encdns-key copy.key"),
            "the same key twice, in enc.key and in copy.key",
        ),
        (format!("{SERVER} --encdns-per-client 5"), "--encdns"),
        (format!("{SERVER} --encdns enc.test --encdns-key enc.key --encdns-per-resolver many"), "many"),
        (format!("{SERVER} --encdns . --encdns-key enc.key"), "a zone of your own"),
        ("encdns-key --zone enc.test no/such/folder/enc.key".into(), "cannot write"),
        ("encdns-key enc.key".into(), "--zone"),
    ] {
        let (status, text) = folder.refused(&arguments).await;
        assert!(status != 0 && text.contains(words), "{arguments}: {status} {text}");
    }
}

#[tokio::test]
async fn the_help_says_how_a_key_is_changed() {
    let folder = Folder::new("encdns-help");
    for (arguments, words) in [
        (&["--help"][..], "To change the key, make a new one and put it first"),
        (&["encdns-key", "--help"], "--encdns-key new.key --encdns-key enc.key"),
    ] {
        let output = folder.command().args(arguments).output().await.unwrap();
        let help = String::from_utf8(output.stdout).unwrap();
        assert!(help.contains(words), "{help}");
    }
}

#[tokio::test]
async fn a_key_that_the_disk_has_no_room_for_leaves_nothing() {
    let folder = Folder::new("encdns-full");
    let limited = Command::new("sh")
        .current_dir(&folder.0)
        .args(["-c", "trap '' XFSZ; ulimit -f 0; exec \"$0\" encdns-key --zone enc.test enc.key"])
        .arg(env!("CARGO_BIN_EXE_sotto-server"))
        .output()
        .await
        .unwrap();
    assert!(!limited.status.success() && limited.stdout.is_empty());
    assert!(!files(&folder.0).contains(&"enc.key".to_owned()));
}

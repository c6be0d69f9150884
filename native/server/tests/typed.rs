//! Names and addresses as people type them, on the command line, in the settings and where a key is made.
#![cfg(target_os = "linux")]

use crate::stage::program::Folder;

const REST: &str = "--starttls 127.0.0.1:0 --self-signed localhost";

#[tokio::test]
async fn a_name_that_would_never_apply_is_refused_with_the_remedy() {
    let folder = Folder::new("typed-names");
    for (arguments, word) in [
        (format!("--stub-zone bücher.example=192.0.2.1 {REST}"), "idn2 bücher.example"),
        (format!("--stub-zone *.corp.example=192.0.2.1 {REST}"), "leave that out"),
        (format!("--stub-zone corp\\032.example=192.0.2.1 {REST}"), "is in none"),
        (format!("--to dot://192.0.2.1#dns.bücher.example {REST}"), "\"xn--\""),
        (format!("--zone test.zone --origin bücher.example {REST}"), "\"xn--\""),
        (format!("--to 192.0.2.1 --encdns bücher.example --encdns-key key {REST}"), "\"xn--\""),
        ("--zone test.zone --dot 127.0.0.1:0 --self-signed localhost,bücher.example".into(), "\"xn--\""),
        ("encdns-key --zone bücher.example key".into(), "\"xn--\""),
    ] {
        let (status, said) = folder.refused(&arguments).await;
        assert!(status == 2 && said.contains(word), "{arguments}: {said}");
    }
    let with_space = ["encdns-key", "--zone", "enc.example ", "key"];
    let output = folder.command().args(with_space).output().await.unwrap();
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    assert!(!folder.0.join("key").exists(), "no key is made for a name that does not exist");
    folder.write("server.toml", "stub-zone = 'corp.example =192.0.2.1'\n");
    let (status, said) = folder.refused(&format!("--config server.toml {REST}")).await;
    assert!(status == 2 && said.contains("line 1") && said.contains("' ' is in none"), "{said}");
}

#[tokio::test]
async fn a_name_is_taken_as_it_is_used() {
    let folder = Folder::new("good-names");
    let stub_zones =
        "--stub-zone xn--bcher-kva.example=192.0.2.1 --stub-zone 0/25.2.0.192.in-addr.arpa=192.0.2.1";
    let names = "*.xn--bcher-kva.example,localhost.,127.0.0.1,::1";
    let arguments = format!("check {stub_zones} --dot 127.0.0.1:0 --self-signed {names}");
    let output = folder.command().args(arguments.split(' ')).output().await.unwrap();
    assert!(output.status.success(), "{output:?}");
    let said: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(said["stub_zones"], serde_json::json!(["xn--bcher-kva.example", "0/25.2.0.192.in-addr.arpa"]));
}

#[tokio::test]
async fn an_address_of_one_link_stands_wherever_an_address_does() {
    let folder = Folder::new("links");
    let arguments = "check --to fe80::1%lo tcp://[fe80::1%lo]:5300 --starttls fe80::2%lo --dot [fe80::2%lo]:8853 \
                     --metrics [fe80::2%lo]:9854 --proxy-from fe80::3%lo --self-signed localhost";
    let output = folder.command().args(arguments.split_whitespace()).output().await.unwrap();
    assert!(output.status.success(), "{output:?}");
    let said: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    for (key, value) in [
        ("to", serde_json::json!(["udp://[fe80::1%1]:53", "tcp://[fe80::1%1]:5300"])),
        ("starttls", serde_json::json!(["[fe80::2%1]:53"])),
        ("dot", serde_json::json!(["[fe80::2%1]:8853"])),
        ("metrics", serde_json::json!("[fe80::2%1]:9854")),
    ] {
        assert_eq!(said[key], value, "{key}");
    }
    let missing = format!("check --to fe80::1%no-such-link {REST}");
    let output = folder.command().args(missing.split(' ')).output().await.unwrap();
    assert_eq!(output.status.code(), Some(3), "it may come: {output:?}");
    for (arguments, word) in [
        (format!("--to fe80::1 {REST}"), "name the link"),
        (format!("--to 192.0.2.1 --proxy-from fe80::1 {REST}"), "name the link"),
        (format!("--to 224.0.0.1 {REST}"), "of many machines"),
        ("--to 192.0.2.1 --self-signed a --dot fe80::1".into(), "name the link"),
        (format!("--to 192.0.2.1 --metrics [fe80::1]:9854 {REST}"), "name the link"),
    ] {
        let (status, said) = folder.refused(&arguments).await;
        assert!(status == 2 && said.contains(word), "{arguments}: {said}");
    }
}

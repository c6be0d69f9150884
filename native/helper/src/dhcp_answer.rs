//! What a network says about DNS by DHCP, as a resolv.conf. Anybody in the network may have sent it. No line of it is copied:
//! what is well-formed is read, bounded in number and length, and written anew.

use std::net::{IpAddr, Ipv6Addr};

const MOST_SERVERS: usize = 8;
const MOST_DOMAINS: usize = 32;
const MOST_OPTIONS: usize = 16;
const LONGEST_DOMAIN: usize = 253;
const LONGEST_LABEL: usize = 63;
const LONGEST_LINK_NAME: usize = 15;
const LONGEST_OPTION: usize = 32;

#[derive(Debug, Default, PartialEq, Eq, Clone)]
pub struct DhcpAnswer {
    /// addresses; those of one link have "%" and the link's name behind them
    servers: Vec<String>,
    domain: Option<String>,
    search: Vec<String>,
    options: Vec<String>,
}

impl DhcpAnswer {
    /// As in resolv.conf(5), the last of several lines with domains or options counts.
    pub fn read(text: &[u8]) -> Self {
        let mut answer = Self::default();
        for line in String::from_utf8_lossy(text).lines() {
            let mut words = line.split_ascii_whitespace();
            let keyword = words.next().unwrap_or_default();
            let values: Vec<&str> = words.collect();
            match (keyword, &values[..]) {
                ("nameserver", [address]) if answer.servers.len() < MOST_SERVERS => {
                    answer.servers.extend(server(address));
                }
                ("domain", [name]) if is_domain(name) => answer.domain = Some((*name).to_owned()),
                ("search", names) => {
                    keep(&mut answer.search, names, MOST_DOMAINS, is_domain);
                }
                ("options", options) => {
                    keep(&mut answer.options, options, MOST_OPTIONS, is_option);
                }
                _ => {}
            }
        }
        answer
    }

    pub fn says_nothing(&self) -> bool {
        *self == Self::default()
    }

    pub fn says_options(&self) -> bool {
        !self.options.is_empty()
    }

    /// If a network names no resolver, the earlier ones stay, as with dhclient-script.
    pub fn or_servers_of(self, old: &[u8]) -> Self {
        match self.servers.is_empty() {
            true => Self { servers: Self::read(old).servers, ..self },
            false => self,
        }
    }

    /// The lines have the order in which dhclient-script writes them.
    pub fn text(&self) -> String {
        let servers = self.servers.iter().map(|server| format!("nameserver {server}\n"));
        let servers: String = servers.collect();
        format!("{}{servers}{}", self.domain_lines(), self.options_line())
    }

    pub fn domain_lines(&self) -> String {
        let domain = self.domain.iter().map(|name| format!("domain {name}\n"));
        domain.chain([line("search", &self.search)]).collect()
    }

    pub fn options_line(&self) -> String {
        line("options", &self.options)
    }
}

fn line(keyword: &str, values: &[String]) -> String {
    match values.is_empty() {
        true => String::new(),
        false => format!("{keyword} {}\n", values.join(" ")),
    }
}

fn keep(kept: &mut Vec<String>, words: &[&str], most: usize, is_good: fn(&str) -> bool) {
    let good = words.iter().filter(|word| is_good(word)).take(most);
    let good: Vec<String> = good.map(|word| (*word).to_owned()).collect();
    if !good.is_empty() {
        *kept = good;
    }
}

fn server(word: &str) -> Option<String> {
    let Some((address, link)) = word.split_once('%') else {
        let address: IpAddr = word.parse().ok()?;
        return can_be_asked(address).then(|| address.to_string());
    };
    let address: Ipv6Addr = address.parse().ok()?;
    (address.is_unicast_link_local() && is_link_name(link)).then(|| format!("{address}%{link}"))
}

fn can_be_asked(address: IpAddr) -> bool {
    !address.is_unspecified() && !address.is_multicast()
}

fn is_link_name(word: &str) -> bool {
    let is_good = |octet: u8| octet.is_ascii_alphanumeric() || b"._-".contains(&octet);
    (1..=LONGEST_LINK_NAME).contains(&word.len()) && word.bytes().all(is_good)
}

/// An address is no domain, although it may look like one.
fn is_domain(word: &str) -> bool {
    let name = word.strip_suffix('.').unwrap_or(word);
    let last = name.rsplit('.').next().unwrap_or_default();
    name.len() <= LONGEST_DOMAIN
        && name.split('.').all(is_label)
        && !last.bytes().all(|octet| octet.is_ascii_digit())
}

fn is_label(label: &str) -> bool {
    let is_good = |octet: u8| octet.is_ascii_alphanumeric() || b"_-".contains(&octet);
    (1..=LONGEST_LABEL).contains(&label.len())
        && label.bytes().all(is_good)
        && !label.starts_with('-')
        && !label.ends_with('-')
}

/// "rotate", "ndots:2"
fn is_option(word: &str) -> bool {
    let (name, number) = word.split_once(':').unwrap_or((word, "0"));
    let is_good = |octet: u8| octet.is_ascii_lowercase() || octet.is_ascii_digit() || octet == b'-';
    word.len() <= LONGEST_OPTION
        && !name.is_empty()
        && name.bytes().all(is_good)
        && !number.is_empty()
        && number.bytes().all(|octet| octet.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rebuilt(text: &str) -> String {
        DhcpAnswer::read(text.as_bytes()).text()
    }

    #[test]
    fn what_dhclient_script_writes_stays_as_it_is() {
        let text = "domain corp.example\nsearch corp.example lab.corp.example.\nnameserver 192.0.2.1\n\
                    nameserver 2001:db8::53\nnameserver fe80::1%eth0\noptions ndots:2 rotate\n";
        assert_eq!(rebuilt(text), text);
        assert_eq!(rebuilt("search a.example\nnameserver 192.0.2.1\nnameserver 127.0.0.1"), {
            "search a.example\nnameserver 192.0.2.1\nnameserver 127.0.0.1\n"
        });
    }

    #[test]
    fn nothing_that_is_malformed_gets_through() {
        let refused = [
            "nameserver 192.0.2.1;id",
            "nameserver 192.0.2.1 192.0.2.2",
            "nameserver 192.0.2.001",
            "nameserver `reboot`",
            "nameserver 0.0.0.0",
            "nameserver ff02::1",
            "nameserver fe80::1%eth0;id",
            "nameserver fe80::1%a-name-too-long-",
            "nameserver 2001:db8::1%eth0",
            "nameserver",
            "domain $(reboot).example",
            "domain two.example names.example",
            "domain -a.example",
            "search `id` a;b a$b a..b .a . 192.0.2.1 x\u{1b}y ü.example \u{0}",
            "options ndots: :2 Rotate a=b ndots:2x",
            "sortlist 192.0.2.0/24",
            "# sotto-helper wrote this.",
            "NAMESERVER 192.0.2.1",
            "\u{feff}nameserver 192.0.2.1",
        ];
        for line in refused {
            assert!(DhcpAnswer::read(line.as_bytes()).says_nothing(), "{line}");
        }
        assert!(DhcpAnswer::read(b"\xff\xfe\nsearch \xff.example").says_nothing());
        assert_eq!(rebuilt("search bad;one good.example 192.0.2.7"), "search good.example\n");
    }

    #[test]
    fn it_is_bounded_whatever_was_said() {
        let long_label = "a".repeat(LONGEST_LABEL + 1);
        let long_name = "a.".repeat(LONGEST_DOMAIN);
        assert!(
            DhcpAnswer::read(format!("search {long_label}.example {long_name}").as_bytes()).says_nothing()
        );
        let name = format!("{}.example", ["a".repeat(60), "b".repeat(60), "c".repeat(60)].join("."));
        let servers: String = (0..200).map(|number| format!("nameserver 192.0.2.{number}\n")).collect();
        let options = "single-request-reopen ".repeat(200);
        let text = format!("{servers}search {}\noptions {options}\n", format!("{name} ").repeat(200));
        let answer = DhcpAnswer::read(text.as_bytes());
        assert_eq!(
            (answer.servers.len(), answer.search.len(), answer.options.len()),
            (MOST_SERVERS, MOST_DOMAINS, MOST_OPTIONS)
        );
        assert!(answer.text().len() < 16_384);
    }

    #[test]
    fn servers_of_before_stay_where_none_are_named() {
        let old = b"# theirs\nnameserver 192.0.2.1\nsearch old.example\n";
        let answer = DhcpAnswer::read(b"domain new.example\n").or_servers_of(old);
        assert_eq!(answer.text(), "domain new.example\nnameserver 192.0.2.1\n");
        let answer = DhcpAnswer::read(b"nameserver 192.0.2.2\n").or_servers_of(old);
        assert_eq!(answer.text(), "nameserver 192.0.2.2\n");
    }
}

//! Makes up a run from a seed: lines of a scenario in which clients ask while peers fail, networks change and settings come anew.

use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

const NAMES: usize = 5;
const PUBLIC: &str = "n.example";
const INSIDE: &str = "h.corp.example";
/// Their names say how they are reached.
const PRIVATE: [&str; 3] = ["main", "second", "third"];
const CLEARTEXT: [&str; 3] = ["plain", "plainer", "plainest"];
const STRATEGIES: [&str; 4] = ["ordered", "fastest", "race", "spread"];
const FAULTS: [&str; 12] = [
    "goes silent",
    "refuses connections",
    "has no route",
    "takes no connections",
    "fails in TLS",
    "declines STARTTLS",
    "closes",
    "closes after each question",
    "closes after 3 s",
    "takes 300 ms",
    "takes 3 s",
    "cuts datagrams",
];
const WRONG: [&str; 10] = [
    "a wrong id",
    "another question",
    "garbage",
    "a query",
    "from another port",
    "another opcode",
    "the answer again",
    "a cut message",
    "the question in capitals",
    "no cookie",
];
const MOVES: [&str; 7] = [
    "we lose our address",
    "a route disappears",
    "a route appears",
    "a link changes",
    "machine wakes",
    "network cafe",
    "network home",
];

#[derive(Clone, Copy, PartialEq)]
enum Policy {
    Refuse,
    Warn,
    Fallback,
    /// all upstreams are in cleartext
    Cleartext,
}

struct Plan {
    chance: StdRng,
    steps: Vec<String>,
    policy: Policy,
    upstreams: Vec<(&'static str, &'static str)>,
    removed: Vec<(&'static str, &'static str)>,
    has_bypass: bool,
    /// a peer, and the number of a public name that it cannot resolve
    failing: Vec<(&'static str, usize)>,
    /// classes of leases
    open: Vec<&'static str>,
    /// clients
    waiting: Vec<usize>,
    clients: usize,
}

/// Each step is one line or several. After it, all invariants hold.
pub fn plan(seed: u64) -> Vec<String> {
    let mut chance = StdRng::seed_from_u64(seed);
    let policies = [Policy::Refuse, Policy::Refuse, Policy::Warn, Policy::Fallback, Policy::Cleartext];
    let policy = policies[chance.random_range(0..policies.len())];
    let mut plan = Plan {
        chance,
        steps: vec![],
        policy,
        upstreams: vec![],
        removed: vec![],
        has_bypass: false,
        failing: vec![],
        open: vec![],
        waiting: vec![],
        clients: 0,
    };
    plan.begin();
    for _ in 0..plan.chance.random_range(20..=60) {
        let step = plan.step();
        plan.steps.push(step);
    }
    plan.end();
    plan.steps
}

impl Plan {
    fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.chance.random_range(0..from.len())]
    }

    fn begin(&mut self) {
        let (names, transports) = match self.policy {
            Policy::Cleartext => (CLEARTEXT, ["udp", "tcp"]),
            _ => (PRIVATE, ["dot", "tdns"]),
        };
        let mut lines = vec!["resolver isp near".to_owned(), "resolver office".to_owned()];
        for name in names.into_iter().take(self.chance.random_range(1..=names.len())) {
            let transport = self.pick(&transports);
            self.upstreams.push((name, transport));
            lines.push(format!("upstream {name} {transport}"));
        }
        lines.push(format!("strategy {}", self.pick(&STRATEGIES)));
        lines.push(
            self.pick(&["cache holds 0", "cache holds 1000", "serve stale", "serve stale at once"]).into(),
        );
        if matches!(self.policy, Policy::Warn | Policy::Fallback) {
            lines.push("rung network to isp".into());
        }
        if self.policy == Policy::Warn {
            lines.push("questions are held".into());
        }
        if matches!(self.policy, Policy::Fallback | Policy::Cleartext) {
            lines.push(self.lease("policy"));
        }
        if self.chance.random_bool(0.5) {
            lines.push(self.bypass());
        }
        lines.push("time passes 0 ms".into());
        lines.extend(self.peers().into_iter().map(knows_all));
        self.steps.push(lines.join("\n"));
    }

    fn peers(&self) -> Vec<&'static str> {
        let upstreams = self.upstreams.iter().chain(&self.removed).map(|(name, _)| *name);
        upstreams.chain(["isp", "office"]).collect()
    }

    fn peer(&mut self) -> &'static str {
        let peers = self.peers();
        self.pick(&peers)
    }

    fn step(&mut self) -> String {
        match self.chance.random_range(0..39) {
            0..9 => format!("client asks {}", self.question()),
            9..14 => self.start(),
            14..17 => self.finish(),
            17..23 => self.fault(),
            23..26 => {
                let peer = self.peer();
                self.heal(peer)
            }
            26..30 => self.wait(),
            30..32 => format!("{}\ntime passes 0 ms", self.pick(&MOVES)),
            32 => "the network is known\ntime passes 0 ms".into(),
            33 => self.pause(),
            34 => "cache is flushed".into(),
            _ => format!("{}\ntime passes 0 ms", self.setting()),
        }
    }

    fn question(&mut self) -> String {
        let number = self.chance.random_range(0..NAMES);
        let stem = self.pick(&[PUBLIC, PUBLIC, PUBLIC, INSIDE]);
        let options = self.pick(&["", "", " tcp", " noedns", " do", " edns=4096"]);
        format!("{} A{options}", name(stem, number))
    }

    fn start(&mut self) -> String {
        self.clients += 1;
        self.waiting.push(self.clients);
        let question = self.question();
        format!("client c{} starts asking {question}", self.clients)
    }

    fn finish(&mut self) -> String {
        if self.waiting.is_empty() {
            return self.start();
        }
        let place = self.chance.random_range(0..self.waiting.len());
        let does = self.pick(&["hears", "hears", "hears", "goes away"]);
        format!("client c{} {does}", self.waiting.remove(place))
    }

    fn fault(&mut self) -> String {
        let (peer, number) = (self.peer(), self.chance.random_range(0..NAMES));
        match self.chance.random_range(0..10) {
            0 => format!("{peer} also sends {}", self.pick(&WRONG)),
            1 => format!("{peer} sends only {}", self.pick(&WRONG)),
            2 => {
                self.failing.push((peer, number));
                format!("{peer} says {} A SERVFAIL", name(PUBLIC, number))
            }
            _ => format!("{peer} {}", self.pick(&FAULTS)),
        }
    }

    fn wait(&mut self) -> String {
        let (unit, most) = self.pick(&[("ms", 999), ("s", 30), ("min", 10)]);
        format!("time passes {} {unit}", self.chance.random_range(1..=most))
    }

    fn setting(&mut self) -> String {
        match self.chance.random_range(0..6) {
            0 => format!("strategy {}", self.pick(&STRATEGIES)),
            1 => self.pick(&["cache holds 0", "cache holds 1000"]).into(),
            2 => self.pick(&["connections are kept warm", "connections are not kept warm"]).into(),
            3 if matches!(self.policy, Policy::Warn | Policy::Fallback) => self.toggle("policy"),
            4 => self.bypass(),
            _ => self.exchange(),
        }
    }

    fn bypass(&mut self) -> String {
        self.has_bypass |= self.chance.random_bool(0.7);
        let lease = self.toggle("bypass");
        if self.has_bypass {
            format!("no bypass corp.example\nbypass corp.example to office\n{lease}")
        } else {
            lease
        }
    }

    /// An upstream goes, or comes back as the last one.
    fn exchange(&mut self) -> String {
        if let Some((name, transport)) = self.removed.pop() {
            self.upstreams.push((name, transport));
            return format!("upstream {name} {transport}");
        }
        if self.upstreams.len() == 1 {
            return "the battery is spared".into();
        }
        let place = self.chance.random_range(0..self.upstreams.len());
        self.removed.push(self.upstreams.remove(place));
        format!("no upstream {}", self.removed[0].0)
    }

    fn pause(&mut self) -> String {
        if let Some(class) = self.open.iter().copied().find(|class| ["off", "paused"].contains(class)) {
            return format!("mode private\n{}\ntime passes 0 ms", self.toggle(class));
        }
        let class = self.pick(&["off", "paused"]);
        format!("mode {class} via isp\n{}\ntime passes 0 ms", self.toggle(class))
    }

    fn lease(&mut self, class: &'static str) -> String {
        self.open.push(class);
        format!("lease {class}")
    }

    fn toggle(&mut self, class: &'static str) -> String {
        if !self.open.contains(&class) {
            return self.lease(class);
        }
        self.open.retain(|open| *open != class);
        format!("no lease {class}")
    }

    fn heal(&mut self, peer: &'static str) -> String {
        let honest = ["talks again", "is honest again", "takes 0 ms", "keeps connections"];
        let mut lines: Vec<String> = honest.map(|line| format!("{peer} {line}")).into();
        let failing = self.failing.extract_if(.., |(who, _)| *who == peer);
        lines.extend(failing.map(|(_, number)| says(peer, PUBLIC, number)));
        lines.join("\n")
    }

    /// All faults end, and whoever asks some minutes later gets an answer.
    fn end(&mut self) {
        let hear = self.waiting.iter().map(|client| format!("client c{client} hears"));
        self.steps.extend(hear);
        let healed: Vec<String> = self.peers().into_iter().map(|peer| self.heal(peer)).collect();
        self.steps.extend(healed);
        let settings = "mode private\nno lease off\nno lease paused\nthe network is known";
        self.steps.push(format!("{settings}\ntime passes 5 min"));
        self.steps.push("client asks n0.example A\nexpect NOERROR\nexpect answers 1".into());
        if self.has_bypass && self.open.contains(&"bypass") {
            self.steps.push("client asks h0.corp.example A\nexpect NOERROR\nexpect answers 1".into());
        }
    }
}

fn name(stem: &str, number: usize) -> String {
    stem.replacen('.', &format!("{number}."), 1)
}

fn knows_all(peer: &str) -> String {
    let all = [PUBLIC, INSIDE].map(|stem| (0..NAMES).map(move |number| says(peer, stem, number)));
    all.into_iter().flatten().collect::<Vec<_>>().join("\n")
}

/// Each name has an address of its own.
fn says(peer: &str, stem: &str, number: usize) -> String {
    let (name, network) = (name(stem, number), if stem == PUBLIC { "198.51.100" } else { "10.0.0" });
    format!("{peer} says {name} A\n  answer {name} 60 A {network}.{number}")
}

//! How many round trips it takes until a query can be sent over a new connection, and what a server's processor does for it.

use serde::Serialize;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Transport {
    Udp,
    Tcp,
    /// RFC 7413: a returning client's SYN has the query in it
    TcpFastOpen,
    /// TLS 1.3 on a port of its own (RFC 7858)
    Tls,
    /// TLS 1.3 after a question and an answer in cleartext, as T-DNS begins
    Starttls,
    TlsFastOpen,
    /// the query is in the first flight of TLS 1.3, and that is in the SYN
    TlsEarlyData,
    /// RFC 9250
    Quic,
    QuicEarlyData,
    /// T-DNS as its report measured it: STARTTLS and TLS 1.2, resumed over Fast Open
    ReportTls,
}

/// Milliseconds of the report's server, table VI.
const REPORT_FULL_MS: f64 = 25.8;
const REPORT_RESUMED_MS: f64 = 1.2;

/// What one server takes for a connection, as measured.
#[derive(Debug, Clone, Copy, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Costs {
    pub full_us: f64,
    pub resumed_us: f64,
    pub query_us: f64,
    /// of the process, and of the kernel beside it
    pub connection_octets: u64,
    pub kernel_octets: u64,
}

impl Transport {
    /// For a client that comes for the first time, and for one that returns with a ticket or cookie.
    pub fn round_trips(self) -> (f64, f64) {
        match self {
            Transport::Udp => (0.0, 0.0),
            Transport::Tcp => (1.0, 1.0),
            Transport::TcpFastOpen => (1.0, 0.0),
            Transport::Tls => (2.0, 2.0),
            Transport::Starttls => (3.0, 3.0),
            Transport::TlsFastOpen => (2.0, 1.0),
            Transport::TlsEarlyData => (2.0, 0.0),
            Transport::Quic => (1.0, 1.0),
            Transport::QuicEarlyData => (1.0, 0.0),
            Transport::ReportTls => (4.0, 2.0),
        }
    }

    /// How long a query waits for a new connection, on average: `S_C` of the report, equations 2 and 3.
    pub fn setup_ms(self, round_trip_ms: f64, resumed: f64, costs: &Costs) -> f64 {
        let (full, again) = self.round_trips();
        let (full_ms, again_ms) = self.processor_ms(costs);
        resumed * (again * round_trip_ms + again_ms) + (1.0 - resumed) * (full * round_trip_ms + full_ms)
    }

    pub fn name(self) -> &'static str {
        match self {
            Transport::Udp => "UDP",
            Transport::Tcp => "TCP",
            Transport::TcpFastOpen => "TCP, Fast Open",
            Transport::Tls => "TLS",
            Transport::Starttls => "TLS by STARTTLS",
            Transport::TlsFastOpen => "TLS, Fast Open",
            Transport::TlsEarlyData => "TLS, early data",
            Transport::Quic => "QUIC",
            Transport::QuicEarlyData => "QUIC, early data",
            Transport::ReportTls => "TLS of the report",
        }
    }

    fn processor_ms(self, costs: &Costs) -> (f64, f64) {
        match self {
            Transport::Udp | Transport::Tcp | Transport::TcpFastOpen => (0.0, 0.0),
            Transport::ReportTls => (REPORT_FULL_MS, REPORT_RESUMED_MS),
            _ => (costs.full_us / 1_000.0, costs.resumed_us / 1_000.0),
        }
    }
}

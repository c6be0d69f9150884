//! Numbers of the types and classes that we look at (IANA DNS parameters, RFC 6895 section 3).

pub const NONE: u16 = 0;
pub const A: u16 = 1;
pub const NS: u16 = 2;
pub const CNAME: u16 = 5;
pub const SOA: u16 = 6;
pub const PTR: u16 = 12;
pub const MX: u16 = 15;
pub const TXT: u16 = 16;
pub const AAAA: u16 = 28;
pub const SRV: u16 = 33;
pub const DNAME: u16 = 39;
pub const OPT: u16 = 41;
pub const DS: u16 = 43;
pub const RRSIG: u16 = 46;
pub const NSEC: u16 = 47;
pub const DNSKEY: u16 = 48;
pub const NSEC3: u16 = 50;
pub const SVCB: u16 = 64;
pub const HTTPS: u16 = 65;
/// Nobody asks for this type: it is a sign inside NSEC (RFC 9824 section 3.5).
pub const NXNAME: u16 = 128;
pub const TKEY: u16 = 249;
pub const TSIG: u16 = 250;
pub const IXFR: u16 = 251;
pub const AXFR: u16 = 252;
pub const MAILB: u16 = 253;
pub const MAILA: u16 = 254;
pub const ANY: u16 = 255;
/// RFC 9606
pub const RESINFO: u16 = 261;

pub const IN: u16 = 1;
pub const CH: u16 = 3;

/** The mnemonics of the DNS parameter registries; a number without one is written as in RFC 3597. */

const types: Readonly<Record<number, string>> = {
  1: 'A',
  2: 'NS',
  5: 'CNAME',
  6: 'SOA',
  10: 'NULL',
  11: 'WKS',
  12: 'PTR',
  13: 'HINFO',
  14: 'MINFO',
  15: 'MX',
  16: 'TXT',
  17: 'RP',
  18: 'AFSDB',
  24: 'SIG',
  25: 'KEY',
  28: 'AAAA',
  29: 'LOC',
  33: 'SRV',
  35: 'NAPTR',
  36: 'KX',
  37: 'CERT',
  39: 'DNAME',
  41: 'OPT',
  42: 'APL',
  43: 'DS',
  44: 'SSHFP',
  45: 'IPSECKEY',
  46: 'RRSIG',
  47: 'NSEC',
  48: 'DNSKEY',
  49: 'DHCID',
  50: 'NSEC3',
  51: 'NSEC3PARAM',
  52: 'TLSA',
  53: 'SMIMEA',
  55: 'HIP',
  59: 'CDS',
  60: 'CDNSKEY',
  61: 'OPENPGPKEY',
  62: 'CSYNC',
  63: 'ZONEMD',
  64: 'SVCB',
  65: 'HTTPS',
  66: 'DSYNC',
  99: 'SPF',
  108: 'EUI48',
  109: 'EUI64',
  128: 'NXNAME',
  249: 'TKEY',
  250: 'TSIG',
  251: 'IXFR',
  252: 'AXFR',
  255: 'ANY',
  256: 'URI',
  257: 'CAA',
  261: 'RESINFO',
  32768: 'TA',
  32769: 'DLV',
};

const classes: Readonly<Record<number, string>> = {
  1: 'IN',
  3: 'CH',
  4: 'HS',
  254: 'NONE',
  255: 'ANY',
};

const rcodes: readonly (string | undefined)[] = [
  'NOERROR',
  'FORMERR',
  'SERVFAIL',
  'NXDOMAIN',
  'NOTIMP',
  'REFUSED',
  'YXDOMAIN',
  'YXRRSET',
  'NXRRSET',
  'NOTAUTH',
  'NOTZONE',
  'DSOTYPENI',
  undefined,
  undefined,
  undefined,
  undefined,
  'BADVERS',
  'BADKEY',
  'BADTIME',
  'BADMODE',
  'BADNAME',
  'BADALG',
  'BADTRUNC',
  'BADCOOKIE',
];

export function typeMnemonic(type: number): string {
  return types[type] ?? `TYPE${type}`;
}

export function classMnemonic(dnsClass: number): string {
  return classes[dnsClass] ?? `CLASS${dnsClass}`;
}

export function rcodeMnemonic(rcode: number): string {
  return rcodes[rcode] ?? `RCODE${rcode}`;
}

/** Mnemonic, TYPE65280 or a number; null for anything else. */
export function typeNumber(text: string): number | null {
  return numberOf(typeNumbers, /^(?:TYPE)?(\d{1,5})$/, text);
}

export function rcodeNumber(text: string): number | null {
  return numberOf(rcodeNumbers, /^(?:RCODE)?(\d{1,4})$/, text);
}

const typeNumbers = new Map(Object.entries(types).map(([number, word]) => [word, Number(number)]));
const rcodeNumbers = new Map(
  rcodes.flatMap((word, number) => (word === undefined ? [] : [[word, number] as const])),
);

function numberOf(
  words: ReadonlyMap<string, number>,
  numeric: RegExp,
  text: string,
): number | null {
  const upper = text.toUpperCase();
  const known = words.get(upper);
  if (known !== undefined) return known;
  const number = Number(numeric.exec(upper)?.[1] ?? Number.NaN);
  return Number.isInteger(number) && number <= 65_535 ? number : null;
}

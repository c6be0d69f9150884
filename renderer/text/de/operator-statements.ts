/** What the catalogue's operators say about themselves (assets/data/resolvers.json), by the English. */
export const operatorStatements: Readonly<Record<string, string>> = {
  'Cloudflare, Inc., United States': 'Cloudflare, Inc., Vereinigte Staaten',
  'Google LLC, United States': 'Google LLC, Vereinigte Staaten',
  'Mullvad VPN AB, Sweden': 'Mullvad VPN AB, Schweden',
  'Quad9 Foundation, Switzerland': 'Quad9-Stiftung, Schweiz',
  'Blocks names known for malware and phishing.':
    'Sperrt Namen, die für Schadsoftware und Phishing bekannt sind.',
  'Blocks nothing by default.': 'Sperrt ohne Zutun nichts.',
  'Blocks nothing.': 'Sperrt nichts.',
  'States that it deletes its logs of public resolver queries within 25 hours.':
    'Gibt an, Protokolle der Anfragen binnen 25 Stunden zu löschen.',
  'States that it does not log queries.': 'Gibt an, Anfragen nicht zu protokollieren.',
  'States that it does not store the addresses of those who ask.':
    'Gibt an, die Adressen der Fragenden nicht zu speichern.',
  'States that it keeps full addresses for up to 48 hours and samples without them for longer.':
    'Gibt an, volle Adressen bis zu 48 Stunden zu behalten und Stichproben ohne Adressen länger.',
  'Does not validate DNSSEC.': 'Prüft DNSSEC nicht.',
  'Validates DNSSEC.': 'Prüft DNSSEC.',
};

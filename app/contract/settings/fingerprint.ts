/** The fingerprint of an organisation's key, which people read to each other. Pure. */

/** As many digits as a SHA-256 has. */
export const fingerprintDigits = 64;

/** In groups, for reading aloud. */
export function fingerprintGroups(fingerprint: string): string[] {
  return fingerprint.match(/.{1,4}/g) ?? [];
}

export function sayFingerprint(fingerprint: string): string {
  return fingerprintGroups(fingerprint).join(' ');
}

/** What a person typed, without what parts the groups. */
export function typedDigits(text: string): string {
  return text.toLowerCase().replace(/[\s:-]/g, '');
}

/** As a person typed it; null where it is no fingerprint. */
export function readFingerprint(text: string): string | null {
  const digits = typedDigits(text);
  return digits.length === fingerprintDigits && /^[0-9a-f]*$/.test(digits) ? digits : null;
}

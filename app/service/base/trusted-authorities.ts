/** The certificate authorities that HTTPS requests of the service trust, for both hellos (tls-hello.ts). */
import { createSecureContext, getCACertificates, type SecureContext } from 'node:tls';

export interface Trusted {
  /** with X25519MLKEM768, where OpenSSL has it */
  usual(): SecureContext;
  /** without it: its hello fits into one segment */
  small(): SecureContext;
}

let machine: Trusted | null = null;

/** The certificates that this program ships and those that the system trusts. */
export function trustedAuthorities(): Trusted {
  machine ??= trusting(() => [...getCACertificates('default'), ...getCACertificates('system')]);
  return machine;
}

/** Each is made once, because reading all certificates takes a tenth of a second and they never change. */
export function trusting(authorities: () => string[]): Trusted {
  let usual: SecureContext | null = null;
  let small: SecureContext | null = null;
  return {
    usual() {
      usual ??= createSecureContext({ ca: authorities() });
      return usual;
    },
    small() {
      small ??= createSecureContext({ ca: authorities(), ecdhCurve: 'X25519:P-256:P-384:P-521' });
      return small;
    },
  };
}

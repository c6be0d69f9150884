/** The certificate authorities that HTTPS requests of the service trust. */
import { createSecureContext, getCACertificates, type SecureContext } from 'node:tls';

let context: SecureContext | null = null;

/**
 * The certificates that this program ships and those that the system trusts. They are read once, because that takes a tenth of
 * a second and they never change.
 */
export function trustedAuthorities(): SecureContext {
  context ??= createSecureContext({
    ca: [...getCACertificates('default'), ...getCACertificates('system')],
  });
  return context;
}

/** What a person can do about a finding. */
export const remedySentences = {
  'start-with-own-node': 'start it as "sotto" or with npm start, which bring their own Node.js',
  'correct-file': 'correct the file; "sotto config check {file}" lists all errors',
  'ask-administrator': 'ask whoever administers this machine, or remove your own value',
  'restart-service': 'restart the service',
  'start-guarded': 'start it with: sotto run --guarded',
  'end-with-on': 'end it with: sotto on',
  'see-ledger': 'see what leaves: sotto ledger',
  'see-probe': 'see what goes around Sotto, and how to fix it: sotto system probe',
  'open-login': 'log in with: sotto portal open',
  'answer-below': 'answer what you are asked below',
  'connect-network': 'connect this machine to a network; Sotto goes on by itself',
  'see-upstreams-below': 'see what is said of the upstreams below',
  'see-upstreams-above': 'see what is said of the upstreams above',
  'answer-consent-request-now':
    'answer it: sotto consent allow {id} --minutes 30, sotto consent deny {id}, or sotto consent retry {id}',
  'see-status-to-end': 'see why, and what would end it: sotto status',
  'end-or-see': 'end it with "sotto on", or see "sotto status"',
  'set-clock-and-keep': "set this machine's date and time, and let it be kept by a time service",
  'check-owner': 'check who owns it and its permissions',
  'free-space': 'free space on the disk',
  'free-space-or-smaller-query-log': 'free space on the disk, or lower queryLog.maxMegabytes',
  'free-space-or-permit':
    'free space on the disk, or correct the permissions of its folder; it goes on by itself',
  'nothing-to-do-counters': 'nothing needs to be done; counters stay exact',
  'allow-private':
    'if the name is yours, add it to "allowPrivate" in the settings; if not, leave it so: a web page may be reaching into your network',
  'run-as-owner': 'run this as the user who runs Sotto, or as root',
  'set-ledger-aside': 'keep a copy, move it away, and restart the service, which begins a new one',
  'close-ledger-file': 'chmod 600 {file}; the service does so when it starts',
  'see-status-for-reason': 'see "sotto status" for the reason',
  'check-loopback-firewall':
    'check for a firewall rule on the loopback interface, and restart the service',
  'see-who-listens':
    'see which: ss -lntup \'sport = :{port}\'; stop it, or change "listen" in the settings',
  'choose-higher-port': 'choose a port above 1023 in "listen", such as 5300',
  'remove-address': 'remove it from "listen" in the settings, or give the machine that address',
  'change-listen': 'change "listen" in the settings',
  'widen-buffer':
    'sudo sysctl -w net.core.rmem_max={wanted}, and the same in /etc/sysctl.d; then restart the service',
  'programs-ask-again':
    'programs ask again by themselves; if it grows, see what asks so much: sotto log --follow',
  'point-at-dns-port':
    'point programs at {ip} port {port}, for all of them with "nameserver {ip}" in /etc/resolv.conf',
  'point-at-port':
    'point programs at {ip} port {port}, or a forwarder in between (dnsmasq: server={ip}#{port})',
  'choose-policy-for-all':
    'choose "downgrade" in the settings so that it is right for every network you use',
  'connect-machine': 'connect it; an upstream on this machine itself needs no network',
  'renew-certificate': 'whoever runs it should renew it; have a second upstream',
  'check-upstream-resolves': 'that was its own answer: check that this upstream resolves all names',
  'take-policy-out': 'ask whoever administers it to take {key} out',
  'firefox-doh-off': 'in Firefox: Settings, Privacy & Security, DNS over HTTPS: Off',
  'chromium-doh-off': 'in {browser}: Settings, Privacy and security, Use secure DNS: Off',
  'lead-docker-here':
    'add the bridge\'s address, such as "172.17.0.1:53", to the setting "listen", and "dns": ["172.17.0.1"] to {file}',
  'lead-resolved-here':
    'let Sotto lead programs by systemd-resolved (sotto config set systemDns.mechanism resolved), or stop systemd-resolved',
  'take-servers-out': 'take these servers out of {file}, and start that network again',
  'ask-for-own-domain':
    'ask whoever runs that network to use a domain of its own (RFC 6762, appendix G)',
  'restart-container': 'start it again once its engine sends containers here, or give it --dns',
  'point-at-status': 'point them at the addresses of "sotto status"',
  'see-system-status': 'see: sotto system status',
  'take-system': 'lead them here: sotto system take',
  'see-nsswitch':
    'see "hosts:" in /etc/nsswitch.conf, and whether a cache such as nscd stands before it; then: sotto system take',
  'take-nameserver-out':
    'take it out of whatever writes that file; IPv6 routers may have given it (RDNSS, RFC 8106)',
  'see-resolvectl': 'see: resolvectl status {link}; then: sotto system take',

  // By the engine's code for why an upstream gave no response (native/engine/src/upstream/failure/).
  'after-unknown': 'see each step with: sotto upstream test',
  'after-connect-failed':
    'check the network; where it blocks port 853, use transport tdns, which needs only port 53',
  'after-no-response': 'check the address; a firewall on the way may drop the packets',
  'after-timed-out': 'check the network, or put a nearer upstream first',
  'after-still-connecting':
    'the way there may be slow or blocked: check the network, or put a nearer upstream first',
  'after-dead':
    'the server, or the way to it, went silent: check the network, and have a second upstream',
  'after-closed': 'the server hung up; if it does so again, whoever runs it should know',
  'after-bad-response':
    'it speaks TLS, but what it answers is no usable DNS: check that address and port are those of a resolver',
  'after-encdns-not-carried':
    'compare its zone and key with what its operator says, or name another resolver to carry its boxes ("address")',
  'after-encdns-name-too-long': 'have a second upstream for such names',
  'after-unwanted': 'ask again: the program that asked was gone before the query went out',
  'after-resting':
    'it failed shortly before and is tried again by itself; see its last error: sotto status',
  'after-starttls-failed': 'use transport dot for this server, if it does not offer STARTTLS',
  'after-starttls-declined-before':
    'use transport dot for this server, if it does not offer STARTTLS',
  'after-tls-failed': 'the server may speak no TLS there: check address, port and transport',
  'after-certificate-name':
    'correct "name" of that upstream; on a foreign network, distrust the network',
  'after-certificate-pin':
    'compare "pins" with what the operator publishes; someone may be in between',
  'after-certificate-unpinned':
    'compare "certificatePins" with the newest stamp of its operator, who may have new certificates; or someone is in between',
  'after-certificate-expired': "check this machine's date; else its operator has to renew it",
  'after-certificate-not-yet-valid': "set this machine's date and time",
  'after-certificate-issuer': 'give the authority\'s certificate as "ca", or distrust this network',
  'after-certificate-unusable': 'whoever runs the server should give it another certificate',
  'after-identity-wanted':
    'ask whoever runs the server for a certificate, then: sotto upstream identities add --help',
  'after-identity-missing':
    'add the client identity on this machine: sotto upstream identities add NAME FILE',
  'after-identity-unusable':
    'add the client identity again: sotto upstream identities add NAME FILE',
  'after-identity-expired':
    "check this machine's date; else get a new certificate and add it under the same name",
  'after-identity-refused':
    'ask whoever runs the server whether it knows this certificate: sotto upstream identities list',
  'after-proxy-away': 'start the proxy, or correct "proxy" of that upstream',
  'after-proxy-not-socks': 'correct "proxy" of that upstream: it must be a SOCKS5 proxy',
  'after-proxy-refused': 'see what the proxy permits, and with which user and password',
  'after-proxy-unreachable': 'see whether the proxy itself has a network',
  'after-lease-missing': 'use transport dot or tdns, if the server has it',
  'after-not-permitted': 'use transport dot or tdns, if the server has it',
} as const;

/** The links of this computer, with the resolvers that each was given and the names that each claims. */
import type { NameClaim } from '../../../app/contract/settings/rule-methods.ts';
import type { NetworkLink } from '../../../app/contract/system/network.ts';
import { safe } from '../../../app/contract/text/visible-text.ts';
import { Row, Rows } from '../../components/rows.tsx';
import { linkTo } from '../../state/route.ts';
import { useWords } from '../../text/use-text.ts';
import styles from './networks.module.css';

interface LinksProps {
  links: readonly NetworkLink[];
  claims: readonly NameClaim[];
}

export function Links({ links, claims }: LinksProps) {
  const { text, formats } = useWords();
  const words = text.networks;
  return (
    <div>
      <p className={styles.quiet}>{words.links}</p>
      <Rows label={words.links}>
        {links.map(({ name, kind, running, addresses, resolvers, domains }) => (
          <Row key={name}>
            <span className={styles.link}>
              {words.link(safe(name), safe(kind))}
              {running ? null : ` – ${words.down}`}
            </span>
            <span className={styles.quiet}>{addresses.map(safe).join(', ')}</span>
            <span className={styles.resolvers}>
              {resolvers.length === 0
                ? words.noResolvers
                : words.resolversOf(formats.list(resolvers.map(safe)))}
              {domains.length === 0 ? null : ` ${words.domainsOf(formats.list(domains.map(safe)))}`}
              <ClaimsOf link={name} claims={claims} />
            </span>
          </Row>
        ))}
      </Rows>
    </div>
  );
}

/** The state of the domains that a link claims; the page Exceptions has the answers. */
function ClaimsOf({ link, claims }: { link: string; claims: readonly NameClaim[] }) {
  const { text } = useWords();
  const { states } = text.exceptions.claims;
  return claims
    .filter((claim) => claim.link === link)
    .map(({ suffix, state }) => (
      <a key={suffix} className={styles.claim} href={linkTo('exceptions')}>
        {text.networks.claim(suffix === '' ? '.' : safe(suffix), states[state])}
      </a>
    ));
}

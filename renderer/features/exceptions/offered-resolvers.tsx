/** The resolvers of the present network and its VPN, because most exceptions are for a zone of their own. */
import { safe } from '../../../app/contract/text/visible-text.ts';
import { Button } from '../../components/button.tsx';
import { useAsked } from '../../state/asked.ts';
import { useWords } from '../../text/use-text.ts';
import styles from './exceptions.module.css';

interface Offered {
  all: readonly string[];
  /** the one VPN there is; null where there is none, or more than one */
  likely: string | null;
}

export function useOffered(): Offered {
  const links = useAsked('network.show', {}).value?.links ?? [];
  const tunnels = links
    .filter(({ kind, resolvers }) => ['tunnel', 'ppp'].includes(kind) && resolvers.length > 0)
    .map(({ name }) => `link:${name}`);
  const [likely = null, another] = tunnels;
  return {
    all: [...new Set([...tunnels, ...links.flatMap(({ resolvers }) => resolvers)])],
    likely: another === undefined ? likely : null,
  };
}

interface OfferedResolversProps {
  of: readonly string[];
  onUse(address: string): void;
}

export function OfferedResolvers({ of: addresses, onUse }: OfferedResolversProps) {
  const { text } = useWords();
  if (addresses.length === 0) return null;
  return (
    <p className={styles.own}>
      {text.exceptions.dialog.own}
      {addresses.map((address) => (
        <Button
          key={address}
          aria-label={text.exceptions.dialog.use(safe(address))}
          onClick={() => onUse(address)}
        >
          <code>{safe(address)}</code>
        </Button>
      ))}
    </p>
  );
}

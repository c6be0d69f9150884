/** The signs by which a network is recognised. */
import type { NetworkEntry, NetworkHints } from '../../../app/contract/system/network.ts';
import { safe } from '../../../app/contract/text/visible-text.ts';
import { Facts } from '../../components/page-body.tsx';
import { useWords } from '../../text/use-text.ts';

export function NetworkFacts({
  network: { label, hints, firstSeen, id },
}: {
  network: NetworkEntry;
}) {
  const { text, formats } = useWords();
  const words = text.networks.facts;
  return (
    <Facts
      of={[
        [words.label, safe(label)],
        ...(hints.gateway === null
          ? []
          : ([[words.gateway, <Gateway key="gateway" hints={hints} />]] as const)),
        ...(hints.domain === null ? [] : ([[words.domain, safe(hints.domain)]] as const)),
        [words.firstSeen, formats.dateTime(firstSeen)],
        [words.id, <code key="id">{safe(id)}</code>],
      ]}
    />
  );
}

function Gateway({ hints: { gateway, gatewayMac } }: { hints: NetworkHints }) {
  const { text } = useWords();
  const address = safe(gateway ?? '');
  return gatewayMac === null ? address : text.networks.via(address, safe(gatewayMac));
}

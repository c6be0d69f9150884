/** Step 1: a choice by what operators say about themselves, and by how fast they respond from here. */
import type { EffectiveSetting } from '../../../app/contract/settings/settings-methods.ts';
import type { CatalogueEntry } from '../../../app/contract/settings/upstream-methods.ts';
import { safe } from '../../../app/contract/text/visible-text.ts';
import { useService } from '../../state/service.ts';
import { useStore } from '../../state/store.ts';
import { useWords } from '../../text/use-text.ts';
import { MeasureButton, MeasuredLatency } from '../upstreams/measured.tsx';
import { byLatency, useMeasuring } from '../upstreams/use-catalogue.ts';
import { Choices } from './choices.tsx';
import styles from './first-run.module.css';
import { Locked } from './locked.tsx';

/** Keeps the present upstreams. */
export const keep = '';

interface ChooseUpstreamProps {
  resolvers: readonly CatalogueEntry[] | null;
  setting: EffectiveSetting | undefined;
  hasOwn: boolean;
  chosen: string;
  onChoose(id: string): void;
}

export function ChooseUpstream(props: ChooseUpstreamProps) {
  const { resolvers, setting, hasOwn, chosen, onChoose } = props;
  const { text, formats } = useWords();
  const measuring = useMeasuring();
  const inUse = useStore(useService().status)?.value.upstreams.map(({ id }) => safe(id)) ?? [];
  const words = text.firstRun.upstream;
  if (resolvers === null) return <p>{text.frame.loading}</p>;
  const shown = measuring.running ? resolvers : byLatency(resolvers, measuring.measured);
  const kept = {
    value: keep,
    title: words.keep(formats.list(inUse)),
    means: words.keepMeans,
  };
  return (
    <>
      <p className={styles.text}>{words.means}</p>
      <Locked setting={setting} />
      <p className={styles.text}>{words.measure}</p>
      <MeasureButton measuring={measuring} of={resolvers.length} />
      <Choices
        legend={words.choice}
        chosen={chosen}
        disabled={setting?.locked ?? false}
        onChoose={onChoose}
        options={[
          ...(hasOwn ? [kept] : []),
          ...shown.map((resolver) => ({
            value: resolver.id,
            title: safe(resolver.label),
            means: <Claims of={resolver} />,
            beside: <MeasuredLatency of={resolver.id} measuring={measuring} />,
          })),
        ]}
      />
    </>
  );
}

/** The operator's own statements, which are English. */
function Claims({ of }: { of: CatalogueEntry }) {
  const said = [of.filtering, of.validation, of.logging].filter((claim) => claim !== null);
  return (
    <>
      <p>{safe(of.operator)}</p>
      <p lang="en">{said.map(safe).join(' ')}</p>
    </>
  );
}

/** Step 1: a choice by what operators say about themselves; how fast each is from here is measured on request. */
import type { EffectiveSetting } from '../../../app/contract/settings/settings-methods.ts';
import type { CatalogueEntry } from '../../../app/contract/settings/upstream-methods.ts';
import { safe } from '../../../app/contract/text/visible-text.ts';
import { Button } from '../../components/button.tsx';
import { Cause } from '../../components/told.tsx';
import { useLive, useService } from '../../state/service.ts';
import { useStore } from '../../state/store.ts';
import { useWords } from '../../text/use-text.ts';
import { type Measuring, useMeasuring } from '../upstreams/use-catalogue.ts';
import { Choices, type Option } from './choices.tsx';
import styles from './first-run.module.css';
import { offered } from './first-run.ts';
import { Locked } from './locked.tsx';

/** Keeps the present upstreams. */
export const keep = '';
const mostAtOnce = 3;

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
  if (setting?.locked) return <Locked setting={setting}>{formats.list(inUse)}</Locked>;
  const kept = { value: keep, title: words.keep(formats.list(inUse)), means: words.keepMeans };
  const { shown, more } = offered(resolvers, hasOwn ? mostAtOnce - 1 : mostAtOnce);
  const option = (resolver: CatalogueEntry): Option<string> => ({
    value: resolver.id,
    title: safe(resolver.label),
    means: <About of={resolver} />,
    beside: <Measured of={resolver.id} measuring={measuring} />,
  });
  return (
    <>
      <p className={styles.text}>{words.means}</p>
      <Choices
        legend={words.choice}
        chosen={chosen}
        onChoose={onChoose}
        options={[...(hasOwn ? [kept] : []), ...shown.map(option)]}
        more={{
          title: words.more,
          options: more.map(option),
          children: <Measure measuring={measuring} />,
        }}
      />
    </>
  );
}

function About({ of: { id, operator } }: { of: CatalogueEntry }) {
  const { text } = useWords();
  const about: Readonly<Record<string, string>> = text.firstRun.upstream.about;
  return about[id] ?? safe(operator);
}

function Measure({ measuring: { running, begin, cancel } }: { measuring: Measuring }) {
  const { text } = useWords();
  const live = useLive();
  const words = text.firstRun.upstream;
  return (
    <div className={styles.measure}>
      <Button disabled={!live} onClick={running ? cancel : begin}>
        {running ? words.measuring : words.measure}
      </Button>
      <p className={styles.means}>
        {words.measureMeans} {words.others}
      </p>
    </div>
  );
}

/** Empty until a measurement was made. */
function Measured({ of, measuring: { measured } }: { of: string; measuring: Measuring }) {
  const { text, formats } = useWords();
  const words = text.firstRun.upstream;
  const found = measured.get(of);
  if (found === undefined) return null;
  const { responseMs, error, tried } = found;
  if (responseMs !== null)
    return <span className={styles.measured}>{words.answers(formats.latency(responseMs))}</span>;
  if (error === null) return <span className={styles.measured}>{words.unreachable}</span>;
  return (
    <details className={styles.failed}>
      <summary>{words.unreachable}</summary>
      <Cause of={error} tried={tried} />
    </details>
  );
}

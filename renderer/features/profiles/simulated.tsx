/** What a version would change for queries that were asked here, if what waits in it were approved. */
import type { Simulation } from '../../../app/contract/settings/simulation.ts';
import { safe } from '../../../app/contract/text/visible-text.ts';
import { CopyLine } from '../../components/copy-line.tsx';
import { FailureWords } from '../../components/failure-words.tsx';
import { useAsked } from '../../state/asked.ts';
import { useWords } from '../../text/use-text.ts';
import styles from './profiles.module.css';

/** `of`: changes with the version, and with what of it waits. */
export function Simulated({ of }: { of: string }) {
  const { text } = useWords();
  const words = text.profiles.simulated;
  const { value, failure } = useAsked('profile.simulate', {}, of);
  return (
    <section className={styles.simulated} aria-labelledby="simulated">
      <h3 id="simulated">{words.title}</h3>
      {failure !== null ? (
        <NotSimulated failure={failure} />
      ) : value === null ? (
        <p>{words.busy}</p>
      ) : (
        <Changes of={value.simulation} />
      )}
    </section>
  );
}

const command = 'sudo sotto profile simulate';

function NotSimulated({ failure }: { failure: Parameters<typeof FailureWords>[0]['failure'] }) {
  const { text } = useWords();
  if (failure.code !== 'forbidden')
    return (
      <p>
        <FailureWords failure={failure} />
      </p>
    );
  return (
    <>
      <p>{text.profiles.simulated.administrator}</p>
      <CopyLine line={command} />
    </>
  );
}

function Changes({ of }: { of: Simulation }) {
  const { text, formats } = useWords();
  const words = text.profiles.simulated;
  const { cannot, queries, changed, totals, changes } = of;
  const asked = formats.count(queries);
  if (cannot !== null) return <p>{words.unknown}</p>;
  if (queries === 0) return <p>{words.unasked}</p>;
  if (changed === 0) return <p>{words.nothing(asked)}</p>;
  return (
    <>
      <p>{words.changed(formats.count(changed), asked)}</p>
      <ul className={styles.changes}>
        {totals.map(({ kind, queries: count }) => (
          <li key={kind}>
            <span>{formats.count(count)}</span>
            <span>{words.kinds[kind]}</span>
            <span className={styles.quiet}>
              {namesOf(changes.filter((one) => one.kind === kind)).join(', ')}
            </span>
          </li>
        ))}
      </ul>
    </>
  );
}

const mostNames = 5;

function namesOf(changes: Simulation['changes']): string[] {
  const names = new Set(changes.flatMap((change) => change.names));
  return [...names].slice(0, mostNames).map(safe);
}

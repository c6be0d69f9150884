/** The report of a test: the verdict, the steps with their times, the connection, the certificates. */
import type { ProbeReport, ProbeStep } from '../../../app/contract/probing/probe-report.ts';
import { safe } from '../../../app/contract/text/visible-text.ts';
import { Button } from '../../components/button.tsx';
import { Cause, TriedInVain } from '../../components/told.tsx';
import { useWords } from '../../text/use-text.ts';
import { Behaviour } from './behaviour.tsx';
import { CertificateChain } from './certificate-chain.tsx';
import { furtherFacts } from './further-facts.ts';
import styles from './test-report.module.css';
import { TestedConnection } from './tested-connection.tsx';

interface TestReportProps {
  name: string;
  report: ProbeReport;
  onClose(): void;
}

export function TestReport({ name, report, onClose }: TestReportProps) {
  const { text, formats } = useWords();
  const words = text.upstreams.test;
  const { ok, error, tried, ms, roundTrips, steps, chain, examination, alternative } = report;
  return (
    <section className={styles.report} aria-label={words.title(name)}>
      <div className={styles.verdict}>
        <div role="status">
          <strong data-ok={ok}>{ok ? words.works : words.failed}</strong>{' '}
          <span className={styles.quiet}>
            {words.took(formats.latency(ms), formats.count(roundTrips))}
          </span>
          {error === null ? null : (
            <p>
              <Cause of={error} tried={tried} />
            </p>
          )}
          {ok && tried !== undefined ? (
            <p>
              <TriedInVain at={tried} />
            </p>
          ) : null}
        </div>
        <Button variant="quiet" onClick={onClose}>
          {text.frame.close}
        </Button>
      </div>
      <h4>{words.steps}</h4>
      <ol className={styles.steps}>
        {steps.map((step, place) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the steps of one report never change places
          <Step key={place} step={step} />
        ))}
      </ol>
      <TestedConnection report={report} />
      {examination === undefined ? null : <Behaviour of={examination} />}
      {chain.length === 0 ? null : <CertificateChain chain={chain} />}
      {alternative === undefined ? null : <Alternative of={alternative} />}
    </section>
  );
}

function Step({ step }: { step: ProbeStep }) {
  const { text, formats } = useWords();
  const words = text.upstreams.test.step;
  const { at, step: kind, text: said, ...more } = step;
  return (
    <li data-step={kind}>
      <span className={styles.at}>{formats.latency(at)}</span>
      <span className={styles.kind}>{words[kind]}</span>
      <span className={styles.what} lang="en">
        {safe(said)}
        {furtherFacts(more, []).map(([key, value]) => (
          <code key={key} className={styles.more}>
            {`${safe(key)} ${value}`}
          </code>
        ))}
      </span>
    </li>
  );
}

function Alternative({ of }: { of: NonNullable<ProbeReport['alternative']> }) {
  const { text } = useWords();
  const words = text.upstreams.test;
  const [way, address] = [text.queryLog.transports[of.transport], safe(of.address)];
  return (
    <>
      <h4>{words.alternative}</h4>
      <p>
        {of.ok ? words.alternativeWorks(way, address) : words.alternativeFails(way, address)}{' '}
        {of.error === null ? null : <Cause of={of.error} tried={of.tried} />}
      </p>
    </>
  );
}

/** The report of a test: the verdict in a sentence; the steps, the connection and the certificates are folded. */
import type { ProbeReport, ProbeStep } from '../../../app/contract/probing/probe-report.ts';
import { safe } from '../../../app/contract/text/visible-text.ts';
import { Button } from '../../components/button.tsx';
import { Cause, TriedInVain } from '../../components/told.tsx';
import { useWords } from '../../text/use-text.ts';
import { Behaviour } from './behaviour.tsx';
import { CertificateChain } from './certificate-chain.tsx';
import { furtherFacts } from './further-facts.ts';
import { stepWords } from './step-words.ts';
import styles from './test-report.module.css';
import { remedyFor, sayVerdict } from './test-verdict.ts';
import { TestedConnection } from './tested-connection.tsx';

interface TestReportProps {
  name: string;
  report: ProbeReport;
  onClose(): void;
}

export function TestReport({ name, report, onClose }: TestReportProps) {
  const { text } = useWords();
  return (
    <section className={styles.report} aria-label={text.upstreams.test.title(name)}>
      <div className={styles.top}>
        <Verdict name={name} report={report} />
        <Button variant="quiet" onClick={onClose}>
          {text.frame.close}
        </Button>
      </div>
      <details className={styles.folded}>
        <summary>{text.upstreams.test.steps}</summary>
        <Steps report={report} />
      </details>
    </section>
  );
}

function Verdict({ name, report }: Omit<TestReportProps, 'onClose'>) {
  const { text, formats } = useWords();
  const { ok, error, tried } = report;
  return (
    <div role="status" className={styles.verdict}>
      <p data-ok={ok}>
        <VerdictGlyph ok={ok} />
        <strong>{sayVerdict(name, report, text, formats)}</strong>{' '}
        {error === null ? null : <Cause of={error} tried={tried} />}
      </p>
      {ok ? null : <p>{text.upstreams.test.remedies[remedyFor(report)]}</p>}
      {ok && tried !== undefined ? (
        <p>
          <TriedInVain at={tried} />
        </p>
      ) : null}
    </div>
  );
}

/** A tick in a circle, a cross. */
function VerdictGlyph({ ok }: { ok: boolean }) {
  return (
    <svg className={styles.glyph} viewBox="0 0 16 16" aria-hidden="true">
      {ok ? <circle cx="8" cy="8" r="7" /> : null}
      <path d={ok ? 'm4.75 8.25 2.25 2.25 4.25-4.75' : 'm3.5 3.5 9 9m0-9-9 9'} />
    </svg>
  );
}

function Steps({ report }: { report: ProbeReport }) {
  const { text, formats } = useWords();
  const { steps, chain, examination, alternative, roundTrips } = report;
  return (
    <>
      <ol className={styles.steps}>
        {steps.map((step, place) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the steps of one report never change places
          <Step key={place} step={step} report={report} />
        ))}
      </ol>
      <p className={styles.quiet}>{text.upstreams.test.took(formats.count(roundTrips))}</p>
      <TestedConnection report={report} />
      {examination === undefined ? null : <Behaviour of={examination} />}
      {chain.length === 0 ? null : <CertificateChain chain={chain} />}
      {alternative === undefined ? null : <Alternative of={alternative} />}
    </>
  );
}

function Step({ step, report }: { step: ProbeStep; report: ProbeReport }) {
  const { text, formats } = useWords();
  const words = text.upstreams.test.step;
  const { at, step: kind, text: said, ...more } = step;
  return (
    <li data-step={kind}>
      <span className={styles.at}>{formats.latency(at)}</span>
      <span className={styles.kind}>{words[kind]}</span>
      <span className={styles.what}>
        <Said english={said} report={report} />
        {furtherFacts(more, []).map(([key, value]) => (
          <code key={key} className={styles.more}>
            {`${safe(key)} ${value}`}
          </code>
        ))}
      </span>
    </li>
  );
}

/** The engine's English, where neither the page nor the codes of the report have words for it. */
function Said({ english, report }: { english: string; report: ProbeReport }) {
  const { text, formats } = useWords();
  const words = stepWords(english, text, formats);
  const { error, tried = [] } = report;
  const inVain = tried.find((one) => english === `${one.address}: ${one.text}`);
  if (words !== null) return words;
  if (inVain !== undefined) return <Cause of={{ code: '', text: english }} tried={[inVain]} />;
  if (error?.message === english) return <Cause of={error} />;
  return <span lang="en">{safe(english)}</span>;
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

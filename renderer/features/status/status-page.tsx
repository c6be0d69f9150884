import type { ServiceStatus } from '../../../app/contract/service-status.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import { useService } from '../../state/service.ts';
import { useStore } from '../../state/store.ts';
import { useWords } from '../../text/use-text.ts';
import { StateSentence } from './state-sentence.tsx';

export function StatusPage() {
  const { text } = useWords();
  const { status, session } = useService();
  const known = useStore(status);
  const connection = useStore(session.state);
  if (known === null)
    return connection.is === 'connecting' || connection.is === 'connected' ? (
      <EmptyState title={text.frame.loading} />
    ) : (
      <EmptyState title={text.status.sentences.unknown} />
    );
  return <Picture status={known.value} />;
}

function Picture({ status }: { status: ServiceStatus }) {
  const { text } = useWords();
  return (
    <>
      <StateSentence status={status} />
      <h2>{text.status.upstreams}</h2>
    </>
  );
}

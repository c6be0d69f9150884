/** Profiles: the organisation that decides about this computer, what of it waits, and what holds, with whose word it is. */
import { EmptyState } from '../../components/empty-state.tsx';
import { FailureWords } from '../../components/failure-words.tsx';
import { PageBody, Section } from '../../components/page-body.tsx';
import { useRoute } from '../../state/route.ts';
import { useWords } from '../../text/use-text.ts';
import { EffectivePolicy } from './effective-policy.tsx';
import { EnrolForm } from './enrol-form.tsx';
import { Enrolled } from './enrolled.tsx';
import styles from './profiles.module.css';
import { useProfile } from './use-profile.ts';

export function ProfilesPage() {
  const { text } = useWords();
  const { query } = useRoute();
  const known = useProfile();
  const { shown, failure, again } = known;
  const words = text.profiles;
  return (
    <PageBody title={text.frame.pages.profiles} about={words.about}>
      {failure === null ? null : (
        <p role="alert">
          <FailureWords failure={failure} />
        </p>
      )}
      {shown === null && failure === null ? <EmptyState title={text.frame.loading} /> : null}
      {shown === null ? null : shown.profile === null ? (
        <Section title={words.enrol.none}>
          <p className={styles.prose}>{words.enrol.noneWhy}</p>
          {/* Another link is another form. */}
          <EnrolForm key={`${query}`} asked={query} onDone={again} />
        </Section>
      ) : (
        <Enrolled
          known={known}
          profile={shown.profile}
          delivery={shown.delivery}
          linked={query.get('source')}
        />
      )}
      {shown === null ? null : <EffectivePolicy stated={known.stated} declared={known.declared} />}
    </PageBody>
  );
}

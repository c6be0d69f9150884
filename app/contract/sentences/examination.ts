/** The findings of `sotto doctor`; sentence-template.ts explains the braces. */
export const examinationSentences = {
  'node-runs': 'Node.js {version} runs Sotto.',
  'node-too-old': 'Node.js {version} is too old: Sotto needs {oldest}.',
  'engine-there': 'The native engine is there and can be loaded.',

  'settings-sound': '{file} has no error.',
  'settings-absent': 'There is no {file}; the defaults hold.',
  'settings-wrong': '{place}: {reason}',

  'service-runs': 'The service runs, version {version}, pid {pid}.',
  'service-of-another-version': 'The service is of version {version}, this command of {own}.',
  guarded: 'If the service dies it is started again, and its addresses stay held.',
  unguarded:
    'Nobody guards the service: if it dies nothing answers, and another program may take its addresses.',
  'no-loop': 'No resolver leads back to Sotto.',

  'policy-refuse': 'Where no private path works, queries are refused: "refuse", by {why}.',
  'policy-warn':
    'Where no private path works, you are asked before any leaves in cleartext (down to {rungs}): "warn", by {why}.',
  'policy-warn-no-way':
    'Where no private path works, you are asked before any leaves in cleartext (which leave no way): "warn", by {why}.',
  'policy-fallback':
    'Where no private path works, queries leave in cleartext until one works again (down to {rungs}): "fallback", by {why}.',
  'policy-fallback-no-way':
    'Where no private path works, queries leave in cleartext until one works again (which leave no way): "fallback", by {why}.',
  'group-policy-refuse': 'For {names} (group {group}), queries are refused: "refuse", by {why}.',
  'group-policy-warn':
    'For {names} (group {group}), you are asked before any leaves in cleartext (down to {rungs}): "warn", by {why}.',
  'group-policy-warn-no-way':
    'For {names} (group {group}), you are asked before any leaves in cleartext (which leave no way): "warn", by {why}.',
  'group-policy-fallback':
    'For {names} (group {group}), queries leave in cleartext until one works again (down to {rungs}): "fallback", by {why}.',
  'group-policy-fallback-no-way':
    'For {names} (group {group}), queries leave in cleartext until one works again (which leave no way): "fallback", by {why}.',
  'consent-request-waits':
    "{upstream} can't be reached privately on {network}, and a consent request waits for you.",
  'group-consent-request-waits':
    "{upstream} can't be reached privately on {network}, and a consent request waits for you for the names of the group {group}.",

  'ledger-empty': 'No permission to send in cleartext is open.',
  'ledger-open': 'Queries may leave in cleartext ({class:clear}); {count} did.',
  'ledger-open-uncounted':
    'Queries may leave in cleartext ({class:clear}); nobody knows how many did.',
  'ledger-open-for': 'Queries may leave in cleartext ({class:clear} for {rule}); {count} did.',
  'ledger-open-for-uncounted':
    'Queries may leave in cleartext ({class:clear} for {rule}); nobody knows how many did.',
  'ledger-file-hidden': "{file} can't be looked at by this user.",
  'ledger-file-not-yet': 'There is no {file} yet; the first start makes it.',
  'ledger-file-deleted': '{file} was deleted under the running service: what it writes is lost.',
  'ledger-file-no-database': '{file} is no database any more.',
  'ledger-file-unwritable': "{file} can't be written.",
  'ledger-file-open-to-others': 'Other users may read or change {file}.',
  'ledger-file-sound': '{file} can be written, by its owner alone.',

  'network-unwatched':
    'The network is not watched: {reason}. All networks are taken for one, and a change is noticed late.',
  'network-none': 'The network is watched, and this machine is on none.',
  'network-watched': 'The network is watched; this is {network}.',
  'network-watched-policy':
    'The network is watched; this is {network}, for which you set "{policy}".',

  'listening-nowhere': 'The service listens nowhere.',
  'listening-silent': '{address} gives no answer. {errors}.',
  'listening-answers': '{address} answers over UDP in {udp:latency}, TCP in {tcp:latency}.',
  'address-free': '{address} is free for the service.',
  'address-taken': '{address} is taken by another program.',
  'address-not-permitted': 'Listening on {address} is not permitted.',
  'address-not-here': '{address} is not an address of this machine.',
  'address-impossible': 'Listening on {address} is not possible ({error}).',

  'upstream-untested': '{upstream} was not tested: {reason}.',
  'upstream-failed': '{upstream}: {message}.',
  'upstream-answered-but': '{upstream} answers from {address}, but not everywhere: {message}.',
  'upstream-answered': '{upstream} answered in {ms:latency} from {address}, {security}.',
  'upstream-certificate-ends':
    '{upstream} answered in {ms:latency} from {address}, {security}; its certificate ends in {left:duration}.',
  'path-works': 'A query was {outcome:outcome} ({upstream}) in {ms:latency}.',
  'path-works-here': 'A query was {outcome:outcome} (here) in {ms:latency}.',
  'path-fails': 'A query was {outcome:outcome}: {reason}.',
  'path-fails-at': 'A query was {outcome:outcome} ({upstream}): {reason}.',

  'rebinding-refused':
    'Within a day, {count} {count|answer|answers} for {name} {count|was|were} refused: {count|it holds|they hold} an address of this machine or its network.',

  'clock-before-built': 'The clock shows {now:time}, before this program was made.',
  'clock-doubtful':
    'The clock shows {now:time}, and no certificate seen is valid then: it may be wrong.',
  'clock-possible': 'The clock shows {now:time}, which is possible.',
  'clock-confirmed': 'The clock shows {now:time}, when a certificate was valid.',
  'clock-confirmed-often':
    'The clock shows {now:time}, when {certificates} {certificates|certificate was|certificates were} valid.',

  'folder-unwritable': "{folder} can't be written.",
  'disk-full': 'Only {free:octets} are free in {folder}.',
  'disk-narrow':
    'The query log may grow to {allowed:octets}, but only {free:octets} are free in {folder}.',
  'disk-roomy': '{folder} can be written; {free:octets} are free.',
  'query-log-off': 'No query log is kept: queryLog.mode is "off".',
  'query-log-stopped': 'The query log is not being written: {reason}. DNS goes on.',
  'query-log-stopped-unknown':
    'The query log is not being written: the cause is unknown. DNS goes on.',
  'query-log-gaps':
    'The query log is being written ({rows} {rows|query|queries}, {size:octets}), but {lost} {lost|query is|queries are} missing.',
  'query-log-written':
    'The query log is being written: {rows} {rows|query|queries}, {size:octets}.',

  'buffer-small':
    'The kernel keeps at most {most:octets} of waiting queries, where {wanted:octets} are asked for; {dropped} {dropped|was|were} dropped so far.',
  'buffer-overrun':
    '{dropped} {dropped|query was|queries were} dropped because they came faster than they could be read.',
  'buffer-sound': 'No query was dropped for want of room.',
  'system-asks-us': 'The system asks Sotto, at {addresses}.',
  'system-asks-others': 'The system asks {others}, not Sotto.',
  'system-asks-others-too': 'The system asks {others} beside Sotto.',
  'system-asks-unknown': 'The system asks no resolver that is known, not Sotto.',
  'port-held': 'Another resolver listens on {addresses}.',
} as const;

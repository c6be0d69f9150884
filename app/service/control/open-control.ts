/** The control socket over all parts of the service: its methods, and the notifications to followers. */
import { userInfo } from 'node:os';
import { type Result, succeed } from '../../contract/errors.ts';
import type { ServicePaths } from '../../contract/service-paths.ts';
import type { AuditLog } from '../audit/audit-log.ts';
import { audited, auditedRefusals } from '../audit/audited-handlers.ts';
import type { Calls } from '../audit/calls.ts';
import { inOrder } from '../base/in-order.ts';
import type { Listeners } from '../base/listeners.ts';
import { machineClock } from '../base/machine-clock.ts';
import { builtAt } from '../base/version.ts';
import type { EngineAddon } from '../engine/engine-addon.ts';
import type { HealthRegistry } from '../health/health-registry.ts';
import type { Journal } from '../logging/journal.ts';
import type { StatusJournal } from '../logging/status-journal.ts';
import { createNetworkHandlers } from '../network/network-handlers.ts';
import type { OpenNetwork } from '../network/open-network.ts';
import { openPauseCodes } from '../pause-codes/pause-codes.ts';
import type { EnrolmentStore } from '../profiles/enrolment.ts';
import { openProfiles } from '../profiles/open-profiles.ts';
import { createLogHandlers } from '../query-log/log-handlers.ts';
import { applicationOf } from '../query-log/present-asker.ts';
import { createSettingsEditor, type EditorParts } from '../settings/settings-editor.ts';
import { createStatsFeed } from '../status/stats-feed.ts';
import { createStatusFeed } from '../status/status-feed.ts';
import { createWorks } from '../works/works.ts';
import { accountsOfThisMachine } from './account-names.ts';
import { createControlServer } from './control-server.ts';
import { listenOnSocket } from './control-socket.ts';
import { createHandlers, type HandlerParts } from './handlers.ts';
import { knowPeers, type ServiceMode } from './peer-role.ts';

type Shared =
  | 'engine'
  | 'protection'
  | 'portal'
  | 'ledger'
  | 'queryLog'
  | 'rules'
  | 'identities'
  | 'numberOf'
  | 'crossCheck'
  | 'systemDns'
  | 'coverage'
  | 'fixes'
  | 'catalogue'
  | 'askStop'
  | 'labelOf'
  | 'status'
  | 'stats';

interface Parts extends Pick<HandlerParts, Shared>, Pick<EditorParts, 'store' | 'adopt' | 'keep'> {
  addon: EngineAddon;
  audit: AuditLog;
  calls: Calls;
  enrolment: EnrolmentStore;
  mode: ServiceMode;
  paths: ServicePaths;
  version: string;
  surroundings: Pick<OpenNetwork, 'network' | 'memory' | 'unavailable'>;
  /** the status may have changed */
  changed: Listeners<void>;
  /** a new decision may be needed */
  unsettled: Listeners<void>;
  health: HealthRegistry;
  journal: Journal;
  statusJournal: Pick<StatusJournal, 'see'>;
  /** To be called when something may have changed. */
  noticeIssues(): void;
  /** the network's resolvers */
  servers(): readonly string[];
  onBug(error: unknown): void;
}

export interface Control {
  /** From then on there are no replies and no notifications. */
  close(): Promise<void>;
}

export async function openControl(parts: Parts): Promise<Result<Control>> {
  const { addon, mode, paths, version, protection, queryLog, journal, onBug } = parts;
  const { network, memory, unavailable } = parts.surroundings;
  const now = Date.now;
  const who = userName();
  const account = process.getuid?.() ?? null;
  const inTurn = inOrder();
  const feed = createStatusFeed(() => {
    parts.noticeIssues();
    const status = parts.status();
    parts.statusJournal.see(status);
    return status;
  }, onBug);
  const statsFeed = createStatsFeed(parts.stats, onBug);

  const profiles = openProfiles({
    ...parts,
    network,
    file: paths.profileFile,
    inTurn,
    reload() {
      parts.store.reload();
      parts.keep();
    },
    onChange: () => parts.changed.tell(),
  });

  const handlers = createHandlers({
    ...parts,
    feed,
    statsFeed,
    here: network,
    network: createNetworkHandlers({
      network,
      memory,
      unavailable,
      onPolicyChange: () => parts.unsettled.tell(),
      onForgotten: parts.ledger.forgetNetwork,
      now,
    }),
    setupFile: paths.setupFile,
    works: createWorks(onBug),
    surroundings: () => ({
      paths,
      queryLog: protection.inForce().settings.queryLog,
      now: now(),
      built: builtAt(),
    }),
    settle: protection.settle,
    editor: createSettingsEditor({ ...parts, inTurn, settingsFile: paths.settingsFile }),
    profile: profiles.handlers,
    log: createLogHandlers({
      queryLog,
      now,
      accountName: accountsOfThisMachine(),
      programsNamed: applicationOf.programsNamed,
      upstreams: () => protection.inForce().settings.upstreams,
      onErased(session) {
        parts.engine.forgetAudit();
        journal.note('query-log-erased', { who: session.who ?? who });
      },
    }),
    pauseCodes: openPauseCodes({
      keyFile: paths.pauseKeyFile,
      attemptsFile: paths.pauseAttemptsFile,
      clock: machineClock(),
    }),
    now,
    who,
  });
  const control = createControlServer({
    handlers: audited(handlers, parts.audit, parts.calls, account),
    onRefused: auditedRefusals(parts.audit, account),
    version,
    journal,
    ...knowPeers(addon, mode),
  });
  const listening = await listenOnSocket(control.server, paths.controlSocket, mode);
  if (!listening.ok) {
    profiles.end();
    await control.close();
    return listening;
  }
  const { id: profile = null, serial = null } = parts.enrolment.current() ?? {};
  parts.audit.note(['service-started', { profile, serial }]);
  const deaf = parts.changed.add(feed.touch);
  return succeed({
    async close() {
      deaf();
      profiles.end();
      feed.close();
      statsFeed.close();
      await control.close();
    },
  });
}

/** Containers run under numbers that no account has. */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return `user ${process.getuid?.() ?? 'unknown'}`;
  }
}

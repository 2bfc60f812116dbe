/** Complete, plain sample records, with changes where a test needs them. */

import type { AuditEntry, Channel, Delivery, Rule, RuleChange, RuleMemory } from '@tapedeck/alerting';
import { noLibrary } from '@tapedeck/domain/files/librarySettings';
import { keepForEver } from '@tapedeck/domain/files/retention';
import type { StoredFile } from '@tapedeck/domain/ports/files';
import type { Identity, Invitation, Passkey, SecondFactor } from '@tapedeck/domain/ports/identity';
import type {
  LogView,
  MetadataStore,
  Project,
  SignInSession,
  Token,
  User,
} from '@tapedeck/domain/ports/metadata';
import type { SdkSession } from '@tapedeck/domain/ports/sdkSessions';
import { noSubjects } from '@tapedeck/domain/subjects/kinds';

export function sampleProject(changes: Partial<Project> = {}): Project {
  return {
    slug: 'default',
    name: 'Default',
    cdnDomain: null,
    cdnEnabled: false,
    retention: keepForEver,
    logRetention: { game: 30 },
    bytesMax: null,
    filesMax: null,
    createdAt: 1_700_000_000_000,
    deletedAt: null,
    ...noLibrary,
    ...noSubjects,
    ...changes,
  };
}

export function sampleToken(changes: Partial<Token> = {}): Token {
  const id = changes.id ?? 'token0000000000000000';
  return {
    id,
    project: 'default',
    kind: 'media',
    name: 'deploy',
    prefix: 'abcd',
    hash: `hash-of-${id}`,
    scopes: [],
    createdAt: 1_700_000_000_000,
    createdBy: 'command line',
    expiresAt: null,
    lastUsedAt: null,
    revokedAt: null,
    makerId: null,
    makerUserId: null,
    ...changes,
  };
}

export function sampleUser(changes: Partial<User> = {}): User {
  const id = changes.id ?? 'user00000000000000000';
  return {
    id,
    email: `${id}@example.com`,
    verifiedEmail: null,
    name: 'Somebody',
    passwordHash: 'scrypt:hash',
    isOwner: false,
    createdAt: 1_700_000_000_000,
    ...changes,
  };
}

export function sampleSession(changes: Partial<SignInSession> = {}): SignInSession {
  return {
    hash: 'session-hash',
    userId: 'user00000000000000000',
    createdAt: 1_700_000_000_000,
    expiresAt: 1_700_000_100_000,
    address: '192.0.2.7',
    userAgent: 'Browser/1.0',
    way: 'password',
    ...changes,
  };
}

export function sampleInvitation(changes: Partial<Invitation> = {}): Invitation {
  const id = changes.id ?? 'invitation0000000000';
  return {
    id,
    hash: `hash-of-${id}`,
    place: { project: 'default', role: 'member' },
    email: null,
    maker: { kind: 'user', id: 'user00000000000000000' },
    createdAt: 1_700_000_000_000,
    createdBy: 'user a@example.org',
    expiresAt: 1_700_000_100_000,
    used: null,
    revokedAt: null,
    ...changes,
  };
}

export function sampleFactor(changes: Partial<SecondFactor> = {}): SecondFactor {
  const userId = 'user00000000000000000';
  return { userId, secret: 'sealed', createdAt: 1_700_000_000_000, lastStep: 7, ...changes };
}

export function samplePasskey(changes: Partial<Passkey> = {}): Passkey {
  return {
    id: 'credential-id',
    userId: 'user00000000000000000',
    name: 'Laptop',
    publicKey: 'public-key',
    counter: 0,
    transports: ['internal', 'hybrid'],
    createdAt: 1_700_000_000_000,
    lastUsedAt: null,
    ...changes,
  };
}

export function sampleIdentity(changes: Partial<Identity> = {}): Identity {
  return {
    id: 'identity000000000000',
    issuer: 'https://id.example',
    subject: 'subject',
    userId: 'user00000000000000000',
    label: 'a@example.org',
    createdAt: 1_700_000_000_000,
    lastUsedAt: null,
    ...changes,
  };
}

export function sampleEntry(changes: Partial<AuditEntry> = {}): AuditEntry {
  return {
    id: 'entry0000000000000000',
    at: 1_700_000_000_000,
    actor: 'command line',
    project: 'default',
    action: 'token.create',
    target: 'deploy',
    details: {},
    ...changes,
  };
}

export function sampleFile(changes: Partial<StoredFile> = {}): StoredFile {
  const id = changes.id ?? 'file00000000000000000';
  return {
    id,
    project: 'default',
    key: `${id}.png`,
    path: '',
    filename: `${id}.png`,
    type: 'image',
    mimeType: 'image/png',
    sizeBytes: 100,
    sha256: 'e3b0c442',
    metadata: {},
    retentionExempt: false,
    width: 1,
    height: 1,
    durationSeconds: null,
    createdAt: 1_700_000_000_000,
    listedAt: changes.createdAt ?? 1_700_000_000_000,
    visibility: null,
    blobSecret: null,
    sentSha256: null,
    ...changes,
  };
}

export function sampleLogView(changes: Partial<LogView> = {}): LogView {
  const id = changes.id ?? 'view0000000000000000';
  const made = { createdAt: 1_700_000_000_000, createdBy: 'user a@example.org' };
  return { id, project: 'default', name: 'Errors', query: 'level=error', ...made, ...changes };
}

export function sampleSdkSession(changes: Partial<SdkSession> = {}): SdkSession {
  return {
    id: 'sdk000000000000000000',
    project: 'default',
    identity: { sdkType: 'server_a', endpoint: 'https://game.example', resourceName: 'maps "one"' },
    tokenIds: ['token1'],
    createdAt: 1_700_000_000_000,
    refreshedAt: 1_700_000_000_000,
    expiresAt: 1_700_000_100_000,
    ...changes,
  };
}

export function sampleChannel(changes: Partial<Channel> = {}): Channel {
  const id = changes.id ?? 'channel0000000000000';
  return {
    id,
    project: 'default',
    name: id,
    kind: 'webhook',
    target: 'https://example.org/hook/secret',
    events: ['file.created', 'rule.fired'],
    severities: ['critical'],
    secret: 'whsec_AAAA',
    former: { secret: 'whsec_BBBB', until: 1_700_000_100_000 },
    failingSince: null,
    heldUntil: null,
    off: null,
    createdAt: 1_700_000_000_000,
    createdBy: 'user a@example.org',
    ...changes,
  };
}

export function sampleRule(changes: Partial<Rule> = {}): Rule {
  const id = changes.id ?? 'rule0000000000000000';
  return {
    id,
    project: 'default',
    name: id,
    enabled: true,
    condition: { kind: 'count', op: '>=', value: 5 },
    query: 'level:error "it\'s"',
    dataset: 'game',
    by: 'metadata.map',
    windowSeconds: 60,
    channels: ['channel0000000000000'],
    severity: 'critical',
    mutedUntil: null,
    generation: 1,
    createdAt: 1_700_000_000_000,
    createdBy: 'user a@example.org',
    ...changes,
  };
}

export function sampleWatch(changes: Partial<RuleMemory> = {}): RuleMemory {
  const value = { buckets: [[1_700_000_000_000, 7]] as const, firedAt: 1_700_000_000_100, fulfilledAt: 3 };
  return {
    rule: 'rule0000000000000000',
    generation: 1,
    judgedAt: 1_700_000_000_500,
    windows: { at: 1_700_000_000_400, values: { harbour: value }, isCrowded: false },
    firing: [
      {
        value: 'harbour',
        since: 1_700_000_000_100,
        count: 7,
        isTold: true,
        acknowledged: { by: 'user a@example.org', at: 1_700_000_000_200 },
      },
    ],
    lastFiredAt: 1_700_000_000_100,
    trouble: null,
    ...changes,
  };
}

export function sampleChange(changes: Partial<RuleChange> = {}): RuleChange {
  return {
    id: 'change00000000000000',
    rule: 'rule0000000000000000',
    project: 'default',
    kind: 'fired',
    at: 1_700_000_000_100,
    value: 'harbour',
    count: 7,
    isMuted: false,
    actor: 'user a@example.org',
    entries: [{ at: 1_700_000_000_000, level: 'error', resource: null, message: 'It burns' }],
    ...changes,
  };
}

export function sampleDelivery(changes: Partial<Delivery> = {}): Delivery {
  const id = changes.id ?? 'delivery000000000000';
  return {
    id,
    project: 'default',
    channel: 'channel0000000000000',
    rule: 'rule0000000000000000',
    type: 'rule.fired',
    messageId: id,
    event: '{"type":"rule.fired"}',
    state: 'pending',
    dueAt: 1_700_000_000_000,
    attempts: [{ at: 1_700_000_000_000, status: 503, answer: 'later "é"', tookMs: 12 }],
    createdAt: 1_700_000_000_000,
    endedAt: null,
    ...changes,
  };
}

/** Inserts the project that tokens and memberships refer to. */
export async function insertDefaultProject(store: MetadataStore): Promise<void> {
  await store.manage(records => records.projects.insert(sampleProject()));
}

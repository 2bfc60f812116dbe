/** Made-up lines of well-known programs. Each is labelled with the log statement that wrote it, so that a test can count mistakes. */
import { capital, hex, type Kind, makeWorld, pick, type World } from './hostileEntries.ts';

type Labelled = {
  readonly label: string;
  readonly body: string;
  readonly metadata: Readonly<Record<string, string>>;
};

const two = (n: number) => `${n}`.padStart(2, '0');
const clock = (w: World) => `${two(w.below(24))}:${two(w.below(60))}:${two(w.below(60))}`;
const uuid = (w: World) => [8, 4, 4, 4, 12].map(digits => hex(w, digits)).join('-');
const upper = (w: World, length: number) =>
  Array.from({ length }, () => 'ABCDEFGHJKLMNPQRSTUVWXYZ'[w.below(24)]).join('');
const letters = (w: World, length: number) =>
  Array.from({ length }, () => 'bcdfghjklmnpqrstvwxz2456789'[w.below(27)]).join('');
const encoded = (w: World, length: number) =>
  Array.from(
    { length },
    () => 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'[w.below(62)],
  ).join('');
const host = (w: World) => `${w.word()}.${w.word()}.${pick(w, ['com', 'net', 'org', 'de'])}`;
const mail = (w: World) =>
  `${w.word()}${pick(w, ['', `.${w.word()}`, `${w.below(99)}`])}@${w.word()}.${pick(w, ['com', 'net', 'org'])}`;
const point = (w: World) =>
  `${w.below(900)}.${w.below(9)}, ${w.below(90)}.${w.below(9)}, -${w.below(900)}.${w.below(9)}`;
const from = (w: World) => `${w.address()}:${1024 + w.below(6e4)}`;
const title = (w: World) => Array.from({ length: 1 + w.below(3) }, () => capital(w.word())).join(' ');
const list = (w: World) =>
  Array.from({ length: 1 + w.below(5) }, () => `${w.word()} x${1 + w.below(9)}`).join(', ');
const steam = (w: World) => `STEAM_1:${w.below(2)}:${w.below(9e7)}`;
const long = (w: World) => `7656119${1e9 + w.below(9e8)}`;
const url = (w: World) =>
  pick(w, [
    () => '/',
    () => `/${w.word()}`,
    () => `/${w.word()}/${w.word()}?page=${w.below(9)}`,
    () => `/api/${w.word()}/${w.below(9e5)}`,
    () => `/static/${w.word()}.${hex(w, 8)}.js`,
  ])();
const pod = (w: World) => `${w.word()}-${hex(w, 10)}-${letters(w, 5)}`;
const spaced = (w: World) => `${pick(w, ['default', 'kube-system', 'prod'])}/${pod(w)}`;
const klog = (w: World, level: string, place: string) =>
  `${level}1127 ${clock(w)}.${100000 + w.below(8e5)} ${String(1 + w.below(9e4)).padStart(7)} ${place}]`;
const player = (w: World) => `"${w.name()}<${w.below(300)}><${steam(w)}><${pick(w, ['CT', 'TERRORIST'])}>"`;

/** Makes a line about a player whose name is in the metadata. */
const by =
  (write: (world: World, name: string) => string): Kind =>
  world => {
    const name = world.name();
    return [write(world, name), { 'player.name': name }];
  };
/** Makes a line with a player written as `"Olga<5><STEAM_1:0:1><CT>"`. */
const source = (write: (world: World, who: string) => string, team = true): Kind =>
  by(
    (w, name) =>
      `L 11/27/2026 - ${clock(w)}: ${write(w, `"${name}<${w.below(300)}><${steam(w)}><${team ? pick(w, ['CT', 'TERRORIST']) : ''}>"`)}`,
  );
const block = (level: string, write: (world: World, name: string) => string): Kind =>
  by((w, name) => `[${clock(w)}] [Server thread/${level}]: ${write(w, name)}`);

type Labels = Readonly<Record<string, Kind>>;

/** Kinds of lines by program and label. */
export const labelledSets: Readonly<Record<string, Labels>> = {
  HAProxy: {
    get: w => [`${from(w)} [27/Nov/2026:${clock(w)}.${w.below(999)}] fe_main be_${w.word()}/srv${w.below(20)} 0/0/${w.below(9)}/${w.below(90)}/${w.below(99)} ${pick(w, [200, 304, 404, 502])} ${w.below(9e4)} - - ---- ${w.below(90)}/${w.below(90)}/${w.below(9)}/${w.below(9)}/0 0/0 "GET ${url(w)} HTTP/1.1"`],
    post: w => [`${from(w)} [27/Nov/2026:${clock(w)}.${w.below(999)}] fe_main be_${w.word()}/srv${w.below(20)} 0/0/${w.below(9)}/${w.below(90)}/${w.below(99)} 200 ${w.below(9e4)} - - ---- ${w.below(90)}/${w.below(90)}/${w.below(9)}/${w.below(9)}/0 0/0 "POST ${url(w)} HTTP/1.1"`],
    down: w => [`Server be_${w.word()}/srv${w.below(20)} is DOWN, reason: Layer4 timeout, check duration: ${w.below(3e3)}ms. ${w.below(9)} active and 0 backup servers left. 0 sessions active, 0 requeued, 0 remaining in queue.`],
    up: w => [`Server be_${w.word()}/srv${w.below(20)} is UP, reason: Layer7 check passed, code: 200, check duration: ${w.below(90)}ms. ${w.below(9)} active and 0 backup servers online. 0 sessions requeued, 0 total in queue.`],
    none: w => [`backend be_${w.word()} has no server available!`],
    proxy: w => [`Proxy ${w.word()} started.`],
    handshake: w => [`${from(w)} [27/Nov/2026:${clock(w)}.${w.below(999)}] fe_main/1: SSL handshake failure`],
    connect: w => [`Connect from ${from(w)} to ${from(w)} (fe_${w.word()}/HTTP)`],
  },
  Postfix: {
    connect: w => [`postfix/smtpd[${w.below(9e4)}]: connect from ${host(w)}[${w.address()}]`],
    disconnect: w => [`postfix/smtpd[${w.below(9e4)}]: disconnect from ${host(w)}[${w.address()}] ehlo=1 mail=1 rcpt=1 data=1 quit=1 commands=5`],
    id: w => [`postfix/cleanup[${w.below(9e4)}]: ${hex(w, 10).toUpperCase()}: message-id=<${encoded(w, 20)}@${host(w)}>`],
    active: w => [`postfix/qmgr[${w.below(9e4)}]: ${hex(w, 10).toUpperCase()}: from=<${mail(w)}>, size=${w.below(9e4)}, nrcpt=1 (queue active)`],
    sent: w => [`postfix/smtp[${w.below(9e4)}]: ${hex(w, 10).toUpperCase()}: to=<${mail(w)}>, relay=${host(w)}[${w.address()}]:25, delay=0.${w.below(90)}, delays=0.1/0/0.2/0.2, dsn=2.0.0, status=sent (250 2.0.0 OK ${w.below(9e8)} ${letters(w, 12)} - gsmtp)`],
    bounced: w => { const to = mail(w); return [`postfix/smtp[${w.below(9e4)}]: ${hex(w, 10).toUpperCase()}: to=<${to}>, relay=${host(w)}[${w.address()}]:25, delay=${w.below(9)}.${w.below(90)}, delays=0.1/0/0.2/0.2, dsn=5.1.1, status=bounced (host ${host(w)}[${w.address()}] said: 550 5.1.1 <${to}>: Recipient address rejected: User unknown (in reply to RCPT TO command))`]; },
    deferred: w => { const at = `${host(w)}[${w.address()}]`; return [`postfix/smtp[${w.below(9e4)}]: ${hex(w, 10).toUpperCase()}: to=<${mail(w)}>, relay=none, delay=${w.below(99)}, delays=0.1/0/30/0, dsn=4.4.1, status=deferred (connect to ${at}:25: Connection timed out)`]; },
    removed: w => [`postfix/qmgr[${w.below(9e4)}]: ${hex(w, 10).toUpperCase()}: removed`],
    rejected: w => { const at = w.address(); return [`postfix/smtpd[${w.below(9e4)}]: NOQUEUE: reject: RCPT from unknown[${at}]: 554 5.7.1 Service unavailable; Client host [${at}] blocked using zen.spamhaus.org; from=<${mail(w)}> to=<${mail(w)}> proto=ESMTP helo=<${host(w)}>`]; },
    unresolved: w => [`postfix/smtpd[${w.below(9e4)}]: warning: hostname ${host(w)} does not resolve to address ${w.address()}: Name or service not known`],
    login: w => { const user = mail(w); return [`dovecot: imap-login: Login: user=<${user}>, method=PLAIN, rip=${w.address()}, lip=${w.address()}, mpid=${w.below(9e4)}, TLS, session=<${encoded(w, 16)}>`, { user }]; },
  },
  Kubernetes: {
    bound: w => [`${klog(w, 'I', 'schedule_one.go:286')} "Successfully bound pod to node" pod="${spaced(w)}" node="node-${w.below(40)}" evaluatedNodes=${w.below(40)} feasibleNodes=${w.below(40)}`],
    syncing: w => { const name = w.word(); return [`${klog(w, 'E', 'pod_workers.go:1298')} "Error syncing pod, skipping" err="failed to \\"StartContainer\\" for \\"${name}\\" with CrashLoopBackOff: \\"back-off 5m0s restarting failed container=${name} pod=${pod(w)}_prod(${uuid(w)})\\"" pod="${spaced(w)}" podUID="${uuid(w)}"`]; },
    listing: w => [`${klog(w, 'W', 'reflector.go:539')} k8s.io/client-go/informers/factory.go:150: failed to list *v1.${capital(w.word())}: Get "https://${w.address()}:443/api/v1/${w.word()}?limit=500&resourceVersion=0": dial tcp ${w.address()}:443: connect: connection refused`],
    event: w => [`${klog(w, 'I', 'kubelet.go:2429')} "SyncLoop (PLEG): event for pod" pod="${spaced(w)}" event={"ID":"${uuid(w)}","Type":"ContainerStarted","Data":"${hex(w, 64)}"}`],
    admit: w => [`${klog(w, 'I', 'topology_manager.go:215')} "Topology Admit Handler" podUID="${uuid(w)}" podNamespace="${w.word()}" podName="${pod(w)}"`],
    volume: w => { const name = letters(w, 5); const id = uuid(w); const on = spaced(w); return [`${klog(w, 'I', 'reconciler_common.go:218')} "operationExecutor.VerifyControllerAttachedVolume started for volume \\"kube-api-access-${name}\\" (UniqueName: \\"kubernetes.io/projected/${id}-kube-api-access-${name}\\") pod \\"${on.split('/')[1]}\\" (UID: \\"${id}\\") " pod="${on}"`]; },
    request: w => [`${klog(w, 'I', 'httplog.go:132')} "HTTP" verb="GET" URI="${url(w)}" latency="${w.below(90)}.${w.below(999)}ms" userAgent="kube-probe/1.29" audit-ID="${uuid(w)}" srcIP="${from(w)}" resp=200`],
    lock: w => [`${klog(w, 'E', 'leaderelection.go:332')} error retrieving resource lock kube-system/${w.word()}: Get "https://${w.address()}:6443/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/${w.word()}?timeout=5s": context deadline exceeded`],
    scale: w => [`${klog(w, 'I', 'event.go:307')} "Event occurred" object="${pick(w, ['default', 'prod'])}/${w.word()}" kind="Deployment" apiVersion="apps/v1" type="Normal" reason="ScalingReplicaSet" message="Scaled up replica set ${w.word()}-${hex(w, 10)} to ${w.below(20)}"`],
  },
  Minecraft: {
    joined: block('INFO', (_, name) => `${name} joined the game`),
    left: block('INFO', (_, name) => `${name} left the game`),
    lost: block('INFO', (_, name) => `${name} lost connection: Disconnected`),
    uuid: by((w, name) => `[${clock(w)}] [User Authenticator #${w.below(90)}/INFO]: UUID of player ${name} is ${uuid(w)}`),
    entered: block('INFO', (w, name) => `${name}[/${from(w)}] logged in with entity id ${w.below(9e4)} at (${point(w)})`),
    chat: by((w, name) => `[${clock(w)}] [Async Chat Thread - #${w.below(90)}/INFO]: <${name}> ${w.chat()}`),
    quick: block('WARN', (w, name) => `${name} moved too quickly! ${w.below(90)}.${w.below(99)},0.0,-${w.below(90)}.${w.below(99)}`),
    behind: w => [`[${clock(w)}] [Server thread/WARN]: Can't keep up! Is the server overloaded? Running ${w.below(9e3)}ms or ${w.below(90)} ticks behind`],
    slain: block('INFO', (w, name) => `${name} was slain by ${title(w)}`),
    fell: block('INFO', (_, name) => `${name} fell from a high place`),
    drowned: block('INFO', (_, name) => `${name} drowned`),
    advanced: block('INFO', (w, name) => `${name} has made the advancement [${title(w)}]`),
    command: block('INFO', (w, name) => `${name} issued server command: /${w.word()} ${w.chat()}`),
    event: w => [`[${clock(w)}] [Server thread/ERROR]: Could not pass event Player${capital(w.word())}Event to ${capital(w.word())} v${w.below(9)}.${w.below(9)}.${w.below(9)}`],
    enabling: w => { const name = capital(w.word()); return [`[${clock(w)}] [Server thread/INFO]: [${name}] Enabling ${name} v${w.below(9)}.${w.below(9)}`]; },
    spawn: w => [`[${clock(w)}] [Worker-Main-${w.below(9)}/INFO]: Preparing spawn area: ${w.below(100)}%`],
    villager: w => [`[${clock(w)}] [Server thread/INFO]: Villager EntityVillager['Villager'/${w.below(9e4)}, uuid='${uuid(w)}', l='ServerLevel[${w.word()}]', x=${w.below(900)}.50, y=64.00, z=-${w.below(900)}.50] died, message: 'Villager was slain by ${title(w)}'`],
  },
  FiveM: {
    creating: w => [`[    c-scripting-core] Creating script environments for ${w.word()}`],
    started: w => [`[           resources] Started resource ${w.word()} (${w.below(9)} warnings)`],
    stopping: w => [`[           resources] Stopping resource ${w.word()}`],
    script: w => { const name = w.word(); return [`[script:${name}] SCRIPT ERROR: @${name}/server/main.lua:${w.below(900)}: attempt to index a nil value (local '${w.word()}')`]; },
    call: w => { const name = w.word(); return [`[script:${name}] SCRIPT ERROR: @${name}/client/${w.word()}.lua:${w.below(900)}: attempt to call a nil value (global '${w.word()}')`]; },
    kicked: by((w, name) => `[txAdmin] Player ${name} was kicked by ${w.name()}: ${w.chat()}`),
    hitch: w => [`[ citizen-server-impl] server thread hitch warning: timer interval of ${w.below(900)} milliseconds`],
    network: w => [`[ citizen-server-impl] network thread hitch warning: timer interval of ${w.below(900)} milliseconds`],
    chat: by((w, name) => `[script:chat] ${name}: ${w.chat()}`),
    bought: by((w, name) => `[esx] ${name} bought ${w.below(9)}x ${title(w)} for $${w.below(900)} at ${title(w)}`),
    gave: by((w, name) => `[inventory] ${name} (license:${hex(w, 40)}) gave ${w.below(9)}x ${title(w)} to ${w.name()} near vector3(${point(w)})`),
    banned: by((w, name) => `[txAdmin] ${w.name()} banned ${name} until 2026-12-${two(1 + w.below(28))} ${clock(w)}: ${w.chat()}`),
    exiting: by((_, name) => `[ citizen-server-impl] ${name} dropped: Exiting`),
    timed: by((w, name) => `[ citizen-server-impl] ${name} dropped: Timed out after ${w.below(90)} seconds.`),
    trunk: by((w, name) => `[trunk] ${name} opened the trunk of ${upper(w, 3)} ${w.below(999)} with ${list(w)}`),
  },
  'Source engine': {
    killed: source((w, who) => `${who} killed ${player(w)} with "${w.word()}"`),
    headshot: source((w, who) => `${who} killed ${player(w)} with "${w.word()}" (headshot)`),
    connected: source((w, who) => `${who} connected, address "${from(w)}"`, false),
    validated: source((_, who) => `${who} STEAM USERID validated`, false),
    entered: source((_, who) => `${who} entered the game`, false),
    say: source((w, who) => `${who} say "${w.chat()}"`),
    team: source((w, who) => `${who} say_team "${w.chat()}"`),
    bought: source((w, who) => `${who} purchased "${w.word()}"`),
    threw: source((w, who) => `${who} threw smokegrenade [-${w.below(900)} ${w.below(900)} ${w.below(90)}]`),
    assisted: source((w, who) => `${who} assisted killing ${player(w)}`),
    renamed: source((w, who) => `${who} changed name to "${w.name()}"`),
    switched: source((_, who) => `${who} switched from team <Unassigned> to <CT>`, false),
    left: source((w, who) => `${who} disconnected (reason "${w.chat()}")`),
    start: w => [`L 11/27/2026 - ${clock(w)}: World triggered "Round_Start"`],
    end: w => [`L 11/27/2026 - ${clock(w)}: World triggered "Round_End"`],
    won: w => [`L 11/27/2026 - ${clock(w)}: Team "CT" triggered "SFUI_Notice_CTs_Win" (CT "${w.below(16)}") (T "${w.below(16)}")`],
    rcon: w => [`L 11/27/2026 - ${clock(w)}: rcon from "${from(w)}": command "${w.word()} ${w.word()}"`],
    plugins: w => [`[META] Loaded ${w.below(30)} plugins.`],
  },
  Rust: {
    entered: by((w, name) => `${name}[${long(w)}] has entered the game`),
    joined: by((w, name) => `${from(w)}/${long(w)}/${name} joined [windows/${long(w)}]`),
    leaving: by((w, name) => `${from(w)}/${long(w)}/${name} disconnecting: disconnect`),
    timeout: by((w, name) => `${from(w)}/${long(w)}/${name} disconnecting: Timed Out`),
    kicking: by((w, name) => `[EAC] Kicking ${long(w)} / ${name} (Unconnected)`),
    killed: by((w, name) => `${name}[${long(w)}] was killed by ${w.name()}[${long(w)}] at (${point(w)})`),
    fell: by((w, name) => `${name}[${long(w)}] died (Fall)`),
    hunger: by((w, name) => `${name}[${long(w)}] died (Hunger)`),
    animal: by((w, name) => `${name}[${long(w)}] was killed by ${w.word()} (entity) at (${point(w)})`),
    chat: by((w, name) => `[CHAT] ${name}[${long(w)}] : ${w.chat()}`),
    team: by((w, name) => `[TEAM CHAT] ${name}[${long(w)}] : ${w.chat()}`),
    saved: w => [`Saved ${w.below(900)},${100 + w.below(800)} ents, cache(0.${w.below(99)}), write(0.${w.below(99)}), disk(0.${w.below(99)}).`],
    plugin: w => [`[Oxide] ${clock(w)} [Info] Loaded plugin ${title(w)} v${w.below(9)}.${w.below(9)}.${w.below(9)} by ${w.word()}`],
    hook: w => [`[Oxide] ${clock(w)} [Warning] Calling 'On${capital(w.word())}' on '${capital(w.word())} v${w.below(9)}.${w.below(9)}.${w.below(9)}' took ${w.below(900)}ms`],
    failed: w => [`[Oxide] ${clock(w)} [Error] Failed to call hook 'On${capital(w.word())}' on plugin '${capital(w.word())} v${w.below(9)}.${w.below(9)}.${w.below(9)}' (NullReferenceException: Object reference not set to an instance of an object)`],
    gave: by((w, name) => `[ServerVar] ${name} gave themselves ${w.below(900)} x ${title(w)}`),
    event: w => [`[event] assets/prefabs/${w.word()}/${w.word()}/${w.word()}.prefab`],
    position: by((w, name) => `Invalid Position: ${name}[${long(w)}] (${point(w)})`),
  },
  PostgreSQL: {
    received: w => [`LOG:  connection received: host=${w.address()} port=${w.below(6e4)}`],
    authorized: w => { const user = w.word(); return [`LOG:  connection authorized: user=${user} database=${w.word()} application_name=psql`, { user }]; },
    disconnected: w => { const user = w.word(); return [`LOG:  disconnection: session time: 0:${two(w.below(60))}:${two(w.below(60))}.${w.below(999)} user=${user} database=${w.word()} host=${w.address()} port=${w.below(6e4)}`, { user }]; },
    checkpoint: w => [`LOG:  checkpoint complete: wrote ${w.below(9e3)} buffers (${w.below(90)}.${w.below(9)}%); 0 WAL file(s) added, ${w.below(9)} removed, ${w.below(9)} recycled; write=${w.below(90)}.${w.below(999)} s, sync=0.${w.below(999)} s, total=${w.below(90)}.${w.below(999)} s`],
    relation: w => [`ERROR:  relation "${w.word()}" does not exist at character ${w.below(90)}`],
    column: w => [`ERROR:  column "${w.word()}" does not exist at character ${w.below(90)}`],
    duplicate: w => [`ERROR:  duplicate key value violates unique constraint "${w.word()}_pkey"`],
    foreign: w => [`ERROR:  insert or update on table "${w.word()}" violates foreign key constraint "${w.word()}_fkey"`],
    password: w => { const user = w.word(); return [`FATAL:  password authentication failed for user "${user}"`, { user }]; },
    role: w => { const user = w.word(); return [`FATAL:  role "${user}" does not exist`, { user }]; },
    database: w => [`FATAL:  database "${w.word()}" does not exist`],
    select: w => [`LOG:  duration: ${w.below(9e3)}.${w.below(999)} ms  statement: SELECT * FROM ${w.word()} WHERE ${w.word()} = '${w.name()}' LIMIT ${w.below(90)}`],
    update: w => [`LOG:  duration: ${w.below(9e3)}.${w.below(999)} ms  execute <unnamed>: UPDATE ${w.word()} SET ${w.word()} = $1 WHERE id = $2`],
    vacuum: w => [`LOG:  automatic vacuum of table "${w.word()}.public.${w.word()}": index scans: ${w.below(9)}`],
    analyze: w => [`LOG:  automatic analyze of table "${w.word()}.public.${w.word()}"`],
    canceled: () => ['ERROR:  canceling statement due to statement timeout'],
    waiting: w => [`LOG:  process ${w.below(9e4)} still waiting for ShareLock on transaction ${w.below(9e6)} after ${w.below(9e3)}.${w.below(999)} ms`],
    temporary: w => [`LOG:  temporary file: path "base/pgsql_tmp/pgsql_tmp${w.below(9e4)}.${w.below(9)}", size ${w.below(9e7)}`],
  },
  systemd: {
    starting: w => [`Starting ${w.word()}.service - ${title(w)} ${title(w)}...`],
    started: w => [`Started ${w.word()}.service - ${title(w)} ${title(w)}.`],
    stopping: w => [`Stopping ${w.word()}.service - ${title(w)} ${title(w)}...`],
    stopped: w => [`Stopped ${w.word()}.service - ${title(w)} ${title(w)}.`],
    exited: w => [`${w.word()}.service: Main process exited, code=exited, status=${w.below(250)}/FAILURE`],
    killed: w => [`${w.word()}.service: Main process exited, code=killed, status=9/KILL`],
    failed: w => [`${w.word()}.service: Failed with result 'exit-code'.`],
    restart: w => [`${w.word()}.service: Scheduled restart job, restart counter is at ${w.below(90)}.`],
    consumed: w => [`${w.word()}.service: Consumed ${w.below(90)}.${w.below(999)}s CPU time.`],
    inactive: w => [`${w.word()}.service: Deactivated successfully.`],
    slice: w => { const id = 1000 + w.below(9e3); return [`Created slice user-${id}.slice - User Slice of UID ${id}.`]; },
    session: w => { const user = w.word(); return [`New session ${w.below(900)} of user ${user}.`, { user }]; },
    removed: w => [`Removed session ${w.below(900)}.`],
    dependency: w => [`Dependency failed for ${w.word()}.service - ${title(w)} ${title(w)}.`],
    mounted: w => [`Mounted ${w.word()}.mount - /${w.word()}/${w.word()}.`],
    reached: w => [`Reached target ${w.word()}.target - ${title(w)}.`],
  },
  Windows: {
    running: w => [`The ${title(w)} service entered the running state.`],
    stopped: w => [`The ${title(w)} service entered the stopped state.`],
    terminated: w => [`The ${title(w)} service terminated unexpectedly.  It has done this ${w.below(9)} time(s).`],
    timeout: w => [`A timeout (30000 milliseconds) was reached while waiting for a transaction response from the ${capital(w.word())} service.`],
    reboot: w => { const name = `${upper(w, 4)}-${upper(w, 6)}`; return [`The process C:\\Windows\\system32\\${w.word()}.exe (${name}) has initiated the restart of computer ${name} on behalf of user ${upper(w, 5)}\\${w.word()} for the following reason: Operating System: Service pack (Planned)`]; },
    update: w => [`Installation Successful: Windows successfully installed the following update: ${title(w)} for ${title(w)} (KB${w.below(9e6)})`],
    faulting: w => [`Faulting application name: ${w.word()}.exe, version: ${w.below(9)}.${w.below(9)}.${w.below(9)}.${w.below(9)}, time stamp: 0x${hex(w, 8)}, faulting module name: ${w.word()}.dll, version: ${w.below(9)}.${w.below(9)}.${w.below(9)}.${w.below(9)}, exception code: 0xc0000005, fault offset: 0x${hex(w, 16)}`],
    resolution: w => [`Name resolution for the name ${host(w)} timed out after none of the configured DNS servers responded.`],
    logon: w => { const user = w.word(); return [`An account was successfully logged on: ${upper(w, 5)}\\${user} from ${w.address()} (Logon Type ${w.below(11)})`, { user }]; },
    refused: w => { const user = w.word(); return [`An account failed to log on: ${upper(w, 5)}\\${user} from ${w.address()} (Logon Type ${w.below(11)})`, { user }]; },
    time: w => { const at = host(w); return [`The time provider NtpClient is currently receiving valid time data from ${at} (ntp.m|0x8|${w.address()}:123->${w.address()}:123).`]; },
    policy: w => [`The Group Policy settings for the user were processed successfully. New settings from ${w.below(20)} Group Policy objects were detected and applied.`],
    driver: w => [`The driver \\Driver\\${w.word()} failed to load for the device ${upper(w, 4)}\\${encoded(w, 12)}.`],
  },
  'Unreal and Unity': {
    join: by((_, name) => `LogNet: Join succeeded: ${name}`),
    close: w => [`LogNet: UNetConnection::Close: [UNetConnection] RemoteAddr: ${from(w)}, Name: IpConnection_${w.below(9e6)}, Driver: GameNetDriver IpNetDriver_${w.below(9e6)}, IsServer: YES, PC: BP_PlayerController_C_${w.below(9e6)}, Owner: BP_PlayerController_C_${w.below(9e6)}, UniqueId: Steam:${long(w)}`],
    package: w => [`LogStreaming: Error: Couldn't find file for package /Game/${capital(w.word())}/${capital(w.word())}/BP_${capital(w.word())} requested by async loading code.`],
    none: w => [`LogScript: Warning: Accessed None trying to read property ${capital(w.word())}_${capital(w.word())}`],
    picked: by((w, name) => `LogBlueprintUserMessages: [BP_${capital(w.word())}_C_${w.below(90)}] Server: ${name} picked up ${title(w)} x${w.below(90)}`),
    fell: w => [`[Physics] ${title(w)} fell out of world at (${point(w)})`],
    scene: w => [`Loaded scene '${title(w)}' in ${w.below(9)}.${w.below(99)}s`],
    progress: () => ['LogGameMode: Match state changed from WaitingToStart to InProgress'],
    over: () => ['LogGameMode: Match state changed from InProgress to WaitingPostMatch'],
    chat: by((w, name) => `LogChat: ${name}: ${w.chat()}`),
    ping: by((w, name) => `Player ${name} [id=${w.below(900)}] connected with ping ${w.below(300)}`),
    bundle: w => [`AssetBundle '${w.word()}/${w.word()}.bundle' could not be loaded because it is not compatible with this newer version of the Unity runtime.`],
    null: w => [`NullReferenceException: Object reference not set to an instance of an object at ${capital(w.word())}.${capital(w.word())} () [0x${hex(w, 5)}] in <${hex(w, 32)}>:0`],
    missing: w => [`The referenced script on this Behaviour (Game Object '${title(w)}') is missing!`],
    texture: w => [`LogTexture: Display: Building textures: ${w.word()} (TFO_AutoDXT, ${w.below(4)}${w.below(999)}x${w.below(999)})`],
  },
}; // biome-ignore format: a table

/** The same seed makes the same lines, and all labels are equally likely. */
export function makeLabelledEntries(labels: Labels, count: number, seed = 1): Labelled[] {
  const world = makeWorld(seed);
  const kinds = Object.entries(labels);
  return Array.from({ length: count }, () => {
    const [label, kind] = pick(world, kinds);
    const [body, metadata = {}] = kind(world);
    return { label, body, metadata };
  });
}

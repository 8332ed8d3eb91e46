import { tuneForDaemon } from '../../../shared/platform/process/v8-flags.ts'
import { COMPLETION_FLAGS } from '../../../shared/program/completion/completion-flags.ts'
import { type Command, command, noSettings } from '../../../shared/program/parse/command.ts'
import { clientSettings, lookSettings, savedSettings, updateSettings, writtenSettings } from './options.ts'
import * as flags from './flags.ts'

/** The commands of the client: their texts in --help, what they take, and where they are. */
export const CLIENT_COMMANDS: readonly Command[] = [
  command({
    name: 'init',
    summary: 'set up an account: asks questions and writes the configuration',
    examples: [
      'sudo holdfast init',
      'holdfast init --provider no-ip --username abc1234 --password-file FILE --hostname home.example.org --yes',
    ],
    details: [
      'Nothing is sent until the end: then the first update is the test, and its result is saved.',
      'If there is a configuration, init shows the changes, then adds the account to it.',
      'Without a terminal, or with --yes, it asks nothing and lists all missing flags.',
    ],
    flags: flags.INIT_FLAGS,
    settings: writtenSettings,
    load: async () => (await import('./init/init.ts')).initCommand,
  }),
  command({
    name: 'update',
    summary: 'update the hostnames once',
    examples: [
      'holdfast update',
      'holdfast update --server dyn.example --username KEY --password-file FILE --hostname home.example.org',
      'holdfast update --dry-run',
    ],
    details: [
      'Finds the public address and sends an update for each hostname whose confirmed address differs.',
      'If a daemon is running, it does the update.',
    ],
    flags: flags.UPDATE_FLAGS,
    settings: updateSettings,
    load: async () => (await import('./update.ts')).updateCommand,
  }),
  command({
    name: 'run',
    summary: 'keep the hostnames up to date until SIGTERM or SIGINT',
    examples: ['holdfast run', 'holdfast run --config ./holdfast.toml --log-level debug'],
    details: [
      'SIGUSR1 checks the address now. SIGHUP reads the configuration again, as holdfast reload does.',
    ],
    flags: flags.RUN_FLAGS,
    settings: clientSettings,
    load: async () => {
      // V8 applies these flags only to code that is compiled after the call.
      tuneForDaemon()
      return (await import('./run.ts')).runCommand
    },
  }),
  command({
    name: 'status',
    isReport: true,
    summary: 'show the state of every account',
    examples: ['holdfast status', 'holdfast status --watch --json'],
    details: ['The state comes from the running daemon or, without one, from the state file.'],
    flags: flags.STATUS_FLAGS,
    settings: savedSettings,
    load: async () => (await import('./status.ts')).statusCommand,
  }),
  command({
    name: 'detect',
    isReport: true,
    summary: 'show which address each source reports, and what would be sent',
    examples: [
      'holdfast detect',
      'holdfast detect --source router --source https://ip.example',
      'holdfast detect --watch',
    ],
    details: ['Sends no update.'],
    flags: flags.DETECT_FLAGS,
    settings: lookSettings,
    load: async () => (await import('./detect.ts')).detectCommand,
  }),
  command({
    name: 'doctor',
    isReport: true,
    summary: 'find problems with this network, with evidence and a remedy for each',
    examples: ['holdfast doctor', 'holdfast doctor --json'],
    details: ['Sends no update.'],
    flags: flags.DOCTOR_FLAGS,
    settings: lookSettings,
    load: async () => (await import('./doctor.ts')).doctorCommand,
  }),
  command({
    name: 'explain',
    isReport: true,
    summary: 'explain the state of an account, or a reply word of the service',
    examples: ['holdfast explain', 'holdfast explain home.example.org', 'holdfast explain abuse'],
    details: ['For an account: what happened, when, why, what to do, and what happens next.'],
    flags: flags.EXPLAIN_FLAGS,
    settings: savedSettings,
    load: async () => (await import('./explain.ts')).explainCommand,
  }),
  command({
    name: 'poke',
    summary: 'check the address now',
    examples: ['holdfast poke', 'holdfast poke --quiet'],
    details: [
      'If a daemon is running, the daemon checks the address of all its accounts immediately.',
      'Otherwise this is the same as holdfast update.',
    ],
    flags: flags.POKE_FLAGS,
    settings: savedSettings,
    load: async () => (await import('./daemon/poke.ts')).pokeCommand,
  }),
  command({
    name: 'reload',
    summary: 'have the daemon read its settings again',
    examples: ['holdfast reload'],
    details: [
      'If they contain a mistake, the daemon keeps its earlier settings, and this command shows it (exit code 78).',
      'Passwords that systemd passes are read only at the start: holdfast resume restarts that daemon.',
    ],
    flags: flags.RUN_FLAGS,
    settings: savedSettings,
    load: async () => (await import('./daemon/reload.ts')).reloadCommand,
  }),
  command({
    name: 'resume',
    summary: 'clear stops, so that updates continue',
    examples: ['holdfast resume', 'holdfast resume office'],
    details: [
      'Fix the cause first: holdfast explain shows it. A running daemon reads its settings and passwords again.',
      'A systemd daemon is restarted if it has ended or a password has changed; the system-wide one needs sudo.',
      'Also ends the retry delay after a response without a reply word (429, 5xx). The wait after 911 remains.',
    ],
    flags: flags.RESUME_FLAGS,
    settings: savedSettings,
    load: async () => (await import('./daemon/resume.ts')).resumeCommand,
  }),
  command({
    name: 'config',
    isReport: true,
    summary: 'check or show the configuration, or print its JSON Schema',
    examples: ['holdfast config check', 'holdfast config show --json', 'holdfast config schema'],
    details: ['Sends nothing. Passwords are shown as «secret».'],
    flags: flags.CONFIG_FLAGS,
    settings: clientSettings,
    load: async () => (await import('./config.ts')).configCommand,
  }),
  command({
    name: 'notify',
    summary: 'show who gets notified of what, or send a test',
    examples: ['holdfast notify', 'holdfast notify --test', 'holdfast notify --test --event stopped'],
    details: ['Programs (on_change and others), webhooks and health checks are settings of an account.'],
    flags: flags.NOTIFICATION_FLAGS,
    settings: savedSettings,
    load: async () => (await import('./notify.ts')).notifyCommand,
  }),
  command({
    name: 'import',
    summary: 'take over the settings of another client',
    examples: [
      'holdfast import /etc/ddclient.conf',
      'sudo holdfast import /etc/ddclient.conf --write',
      'holdfast import --from inadyn inadyn.conf --output ./holdfast.toml --write',
      "holdfast import --url 'https://dyn.example/nic/update?hostname=<domain>&myip=<ipaddr>'",
    ],
    details: [
      'Reads files of ddclient, inadyn, noip-duc, OpenWrt, ddns-updater and ddns-go, and update URLs of routers.',
      'Prints the configuration, and on standard error what differs. Sends nothing.',
      'Passwords are written into separate files and never printed.',
    ],
    flags: flags.IMPORT_FLAGS,
    settings: noSettings,
    load: async () => (await import('./import.ts')).importCommand,
  }),
  command({
    name: 'providers',
    isReport: true,
    summary: 'list the update services that are known by name, or explain one',
    examples: ['holdfast providers', 'holdfast providers no-ip'],
    details: ['With provider = "NAME", an account needs no server. Contacts no service.'],
    flags: flags.PROVIDERS_FLAGS,
    settings: noSettings,
    load: async () => (await import('./providers.ts')).providersCommand,
  }),
  command({
    name: 'completion',
    isReport: true,
    summary: 'print a script that completes command lines in a shell',
    examples: ['holdfast completion bash', 'holdfast completion zsh', 'holdfast completion fish'],
    details: [
      'bash: write it to /etc/bash_completion.d/holdfast, or to ~/.local/share/bash-completion/completions/holdfast.',
      'zsh: write it to the file _holdfast in a folder of $fpath.',
      'fish: write it to ~/.config/fish/completions/holdfast.fish.',
    ],
    flags: COMPLETION_FLAGS,
    settings: noSettings,
    load: async (all) =>
      (await import('../../../shared/program/completion/completion.ts')).completionFor(all),
  }),
  command({
    name: 'service',
    summary: 'install or uninstall the systemd unit of the client, or show its status',
    examples: [
      'sudo holdfast service install',
      'holdfast service install --user',
      'holdfast service install --timer --dry-run',
      'holdfast service status',
    ],
    flags: flags.SERVICE_FLAGS,
    settings: noSettings,
    load: async () => (await import('./service.ts')).serviceCommand,
  }),
]

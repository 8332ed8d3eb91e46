import { join } from 'node:path'
import { ROOT } from '../e2e/processes.ts'
import { boot, type Machine } from './machine.ts'
import { type Asked, serviceIn } from './update-service.ts'

/** A machine on which Holdfast is installed as `npm install -g` does it, and a service for it to talk to. */
export interface Guest extends Machine {
  /** What it printed; throws where it failed. */
  ok(command: string): string
  /** A property of a unit. */
  show(property: string, unit?: string): string
  asked(): readonly Asked[]
  /** What the service answers from now on, instead of `good`. */
  answers(word: string): void
  /** Another address on the wire in the place of the last one; the moment of that. */
  moveTo(address: string): number
}

const PACKAGE = '/usr/local/lib/node_modules/holdfast'
export async function bootGuest(root: string): Promise<Guest> {
  const folders = ['bin', 'dist', 'systemd', 'config', 'package.json']
  const copies = Object.fromEntries(folders.map((name) => [join(ROOT, name), `${PACKAGE}/${name}`]))
  const machine = await boot(root, copies)
  const ok = (command: string): string => {
    const { code, stdout, stderr } = machine.sh(command)
    if (code !== 0) throw new Error(`${command}: ${code}\n${stdout}${stderr}`)
    return stdout.trim()
  }
  ok(`chmod 755 ${PACKAGE}/bin/holdfast.js; ln -s ${PACKAGE}/bin/holdfast.js /usr/local/bin/holdfast`)
  const { start, asked, answers } = serviceIn(machine)
  start()
  ok('ip link add wire type veth peer name other; ip link set wire up; ip link set other up')
  let address = ''
  return {
    ...machine,
    ok,
    show: (property, unit = 'holdfast') => ok(`systemctl show -P ${property} ${unit}`),
    asked,
    answers,
    moveTo: (next) => {
      // A prefix of its own: with a common one, deleting the first address deletes the second.
      const remove = address === '' ? 'true' : `ip address del ${address}/32 dev wire`
      address = next
      return Number(ok(`ip address add ${next}/32 dev wire; ${remove}; date +%s%3N`))
    },
  }
}

/** The files of root that a daemon needs. */
export const configuration = (text: string): string => `mkdir -p /etc/holdfast
cat > /etc/holdfast/holdfast.toml <<'END'
${text}
END
chmod 644 /etc/holdfast/holdfast.toml`

export const secret = (path: string, text: string): string =>
  `mkdir -p ${path.replace(/\/[^/]*$/, '')}; (umask 077; echo '${text}' > ${path})`

/** What an administrator changes of a unit. */
export const dropIn = (unit: string, text: string): string => `mkdir -p /etc/systemd/system/${unit}.d
cat > /etc/systemd/system/${unit}.d/test.conf <<'END'
${text}
END
systemctl daemon-reload`

import { tsigKeysIn } from '../../../../../shared/dns/tsig.ts'
import { presetServer, providerCalled } from '../../../../services/providers/providers.ts'
import type { ServiceRow } from '../../services/client-services.ts'
import type { DdclientSettings } from './lines.ts'
import { ddclientLookups } from './lookup.ts'
import { commonSettings, remarkOnHttp, remarkOnUnknown } from './remarks.ts'
import { validHostnames } from '../../hostnames.ts'
import type { ImportContext, ImportedUpdate, Remarks } from '../../imported.ts'
import { takeService } from '../../services/take-service.ts'

export interface HostLine {
  readonly hosts: string
  readonly all: DdclientSettings
  readonly own: DdclientSettings
  readonly line: number
  readonly context: ImportContext
  readonly remarks: Remarks
}

/** With the settings that only its protocol has. */
export type DdclientUpdate = ImportedUpdate & { readonly read: ReadonlySet<string> }

/** An entry of a service that does not speak `/nic/update`. */
export function rowUpdates(
  row: ServiceRow,
  names: readonly string[],
  { all, own, line, context, remarks }: Omit<HostLine, 'hosts'>,
): readonly DdclientUpdate[] {
  const withKey = row.provider === 'rfc2136' ? withKeyFile(all, { line, context, remarks }) : all
  const taken = takeService(row, {
    client: 'ddclient',
    line,
    names,
    remarks,
    valueOf: (key) => withKey.get(key),
  })
  if (presetServer(providerCalled(row.provider)) === undefined) remarkOnHttp(all, { line, remarks })
  remarkOnUnknown(own, remarks, taken.read)
  const { namesOf, settings, ...service } = taken
  const update = {
    ...service,
    place: { file: context.file, line },
    label: '',
    hostnames: validHostnames(namesOf(names), line, remarks),
    settings: { ...settings, ...commonSettings(all, remarks) },
  }
  return ddclientLookups(all, line, remarks).map((lookup) => ({ ...update, ...lookup }))
}

/** The key of nsupdate is in a file of its own (named.conf), and its login is a program. */
function withKeyFile(
  all: DdclientSettings,
  { line, context, remarks }: Pick<HostLine, 'line' | 'context' | 'remarks'>,
): DdclientSettings {
  const found = context.include(all.get('password')?.value ?? '')
  const [key] = tsigKeysIn('text' in found ? found.text : '')
  if (key?.secret === undefined)
    // Its path is the password of the entry, which may be the key itself.
    remarks.add(
      'lost',
      line,
      `the key file of nsupdate ${'problem' in found ? 'cannot be read' : 'has no key'}`,
    )
  return new Map([
    ...all,
    ['login', { line, value: key?.name ?? '' }],
    ['password', { line, value: key?.secret ?? '' }],
    ['tsig_algorithm', { line, value: key?.algorithm ?? '' }],
  ])
}

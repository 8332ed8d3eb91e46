import { type Refusal, refuse } from '../../model/errors.ts'
import { type DraftRRSet, GROUP_RULE, isGroupName, readRRSet, type ShapeFault } from '../../model/draft.ts'
import { type OfflineFault, readOffline } from '../../model/offline.ts'
import type { OfflineSettings } from '../../model/tree.ts'
import type { Named } from '../openapi/schemas.ts'

export type FormFault = ShapeFault | OfflineFault | 'offlineSettingsExpected' | 'groupTargetAmbiguous'

/** The form of the body is checked. */
type NameFields = Named<'NewName'>

export const rrsetLists = ({ rrsets }: NameFields): readonly unknown[] =>
  Array.isArray(rrsets) ? (rrsets as unknown[]) : []

export interface NameDraft {
  readonly rrsets: readonly DraftRRSet[]
  readonly group?: string
  readonly isOffline: boolean
  readonly offline?: OfflineSettings
  readonly faults: readonly Refusal<FormFault>[]
}

export const AT_GROUP = { location: 'body', pointer: '/update_group' } as const

/** Parses the body; reports all faults of its form. */
export function readNameDraft(body: NameFields): NameDraft {
  const parsed = rrsetLists(body).map((one, n) => readRRSet(one, `/rrsets/${n}`))
  const rrsets = parsed.flatMap(({ value }) => value ?? [])
  const { update_group: shown, offline, offline_settings: settings } = body
  const group = shown ?? undefined
  const isGrouped = rrsets.some(({ rdata }) => rdata.some(({ updateGroup }) => updateGroup !== undefined))
  const parsedSettings = settings === undefined ? undefined : readOffline(settings, '/offline_settings')
  const faults: Refusal<FormFault>[] = parsed.flatMap((one) => one.faults)
  if (body.rrsets !== undefined && !Array.isArray(body.rrsets))
    faults.push(refuse('typeOrRdataMissing', 'rrsets is a list', { location: 'body', pointer: '/rrsets' }))
  if (group !== undefined && !isGroupName(group))
    faults.push(refuse('updateGroupInvalid', GROUP_RULE, AT_GROUP))
  if (group !== undefined && isGrouped) faults.push(refuse('groupTargetAmbiguous', undefined, AT_GROUP))
  if (parsedSettings !== undefined && 'faults' in parsedSettings) faults.push(...parsedSettings.faults)
  if (offline === true && parsedSettings === undefined)
    faults.push(
      refuse('offlineSettingsExpected', undefined, { location: 'body', pointer: '/offline_settings' }),
    )
  return {
    rrsets,
    isOffline: offline === true,
    faults,
    ...(typeof group === 'string' && { group }),
    ...(parsedSettings !== undefined && 'settings' in parsedSettings && { offline: parsedSettings.settings }),
  }
}

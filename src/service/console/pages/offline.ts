import { type Html, html } from '../../../shared/html/html.ts'
import { type Ask, type ConsoleContext, isRefused } from '../context.ts'
import { button, choiceField, field, form, type FormErrors, hidden, lines } from '../parts.ts'
import type { Words } from '../words/words.ts'
import type { Named } from '../../api/openapi/schemas.ts'

/** What a name shows while it is offline; the rest of its settings are for programs. */
const OFFLINE_ACTIONS = { none: undefined, record: 'rdata', redirect: 'url', page: 'message' } as const
type OfflineAct = keyof typeof OFFLINE_ACTIONS
function offlineText(offline: Named<'OfflineSettings'>): string {
  const field = OFFLINE_ACTIONS[offline.action]
  return (field && offline[field]) ?? ''
}

/** Of a name without settings, and of one whose settings cannot be read: none. */
export async function offlineOf(
  ask: Ask,
  at: Readonly<Record<'zone_name' | 'name', string>>,
): Promise<Named<'OfflineSettings'>> {
  const found = await ask('getOffline', { params: at })
  return isRefused(found) ? { action: 'none' } : found.data
}

export const onlineForm = ({ name: t }: Words, here: string): Html =>
  form(`${here}/offline`, [
    html`<p class="soft">${t.isOffline}</p>`,
    hidden('action', ''),
    button(t.takeOnline, 'quiet'),
  ])

/** What an offline name shows. */
export function offlineShown({ name: t }: Words, offline: Named<'OfflineSettings'>): Html {
  const value = offlineText(offline)
  return html`<p>${t.offlineShows}: ${t.offlineActions[offline.action]}${
    value !== '' ? html`, <bdi>${lines(value)}</bdi>` : ''
  }</p>`
}

interface OfflineView {
  readonly isOffline: boolean
  readonly here: string
  readonly offline: Named<'OfflineSettings'>
  readonly errors: FormErrors
}

export function offlineForm(
  { words: { name: t }, form: sent }: Pick<ConsoleContext, 'words' | 'form'>,
  { here, offline, errors, isOffline }: OfflineView,
): Html {
  const stored = offlineText(offline)
  const isSent = sent.has('action')
  return html`<details${isSent ? html` open` : ''}><summary>${isOffline ? t.changeOffline : t.takeOffline}</summary>${form(
    `${here}/offline`,
    [
      choiceField('action', t.offlineShows, {
        choices: Object.keys(OFFLINE_ACTIONS).map((value) => ({
          value,
          label: t.offlineActions[value as OfflineAct],
        })),
        chosen: sent.get('action') ?? offline.action,
      }),
      field('value', t.offlineValue, {
        value: sent.get('value') ?? stored,
        hint: t.offlineHint,
        // A field of one line would take the line breaks away.
        ...(typeof stored === 'string' && stored.includes('\n') && { rows: 3 }),
        isOptional: true,
        errors,
      }),
      button(isOffline ? t.changeOffline : t.takeOffline, 'danger'),
    ],
  )}</details>`
}

/** What a name shows from now on, and whether that is already stored; undefined: it goes online. */
export function offlineWanted(
  sent: URLSearchParams,
  stored: Named<'OfflineSettings'>,
  title: string,
): { readonly settings: object; readonly isStored: boolean } | undefined {
  const action = sent.get('action') ?? ''
  if (!Object.hasOwn(OFFLINE_ACTIONS, action)) return undefined
  const member = OFFLINE_ACTIONS[action as OfflineAct]
  const value = (sent.get('value') ?? '').replaceAll('\r\n', '\n').trim()
  const isSame = action === stored.action
  if (isSame && value === (member === undefined ? value : (stored[member] ?? '')))
    return { settings: stored, isStored: true }
  // A logo and an e-mail address stay, which programs have set.
  const kept: Readonly<Record<string, unknown>> = isSame ? stored : action === 'page' ? { title } : {}
  const type = action === 'record' ? { dns_type: value.includes(':') ? 'AAAA' : 'A' } : {}
  return {
    settings: {
      ...kept,
      action,
      ...type,
      ...(member !== undefined && { [member]: value === '' ? undefined : value }),
    },
    isStored: false,
  }
}

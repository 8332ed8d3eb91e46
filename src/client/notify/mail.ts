import { listed } from '../../shared/base/address.ts'
import { type Notification, notificationText } from './notification.ts'

/** A message for people: the subject, and all facts below each other. */
export function mailOf(one: Notification): { readonly subject: string; readonly text: string } {
  const { title, text } = notificationText(one)
  const rows: readonly (readonly [string, string])[] = [
    ['Account', one.name ?? one.account],
    ['Hostnames', one.hostnames.join(', ')],
    ['Address', listed(one.addresses).join(', ')],
    ['Before', listed(one.before).join(', ')],
    ['What to do', one.remedy ?? ''],
  ]
  const facts = rows.filter(([, value]) => value !== '').map(([name, value]) => `${name}: ${value}`)
  return { subject: `Holdfast: ${title}`, text: `${[text, '', ...facts].join('\n')}\n` }
}

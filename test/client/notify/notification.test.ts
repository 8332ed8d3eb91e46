import { describe, expect, it } from 'vitest'
import { notificationText } from '../../../src/client/notify/notification.ts'
import { NOTIFICATION, STOPPED } from './receivers/notifications.ts'

describe('the text of a notification', () => {
  it('says what changed', () =>
    expect(notificationText(NOTIFICATION)).toEqual({
      title: 'home.example.test: address changed',
      text: 'home.example.test: address changed; now 192.0.2.2 and 2001:db8::2, before 192.0.2.1',
    }))
  it('says what to do, in one line', () =>
    expect(notificationText(STOPPED).text).toBe(
      'home.example.test: stopped until you act; badauth; what to do: check <the> key & password now @everyone',
    ))
  it('names few of many hostnames', () =>
    expect(notificationText({ ...NOTIFICATION, hostnames: ['a', 'b', 'c', 'd', 'e'] }).title).toBe(
      'a, b, c and 2 more: address changed',
    ))
  it('says how often', () =>
    expect(notificationText({ ...NOTIFICATION, times: 7 }).text).toContain(
      '7 times since the last notification',
    ))
  it('names the account where no hostname is meant', () =>
    expect(notificationText({ ...NOTIFICATION, hostnames: [] }).title).toBe('home: address changed'))
})

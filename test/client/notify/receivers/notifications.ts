import type { Notification } from '../../../../src/client/notify/notification.ts'
import { type Address, byFamily, parseAddress } from '../../../../src/shared/base/address.ts'

export const NOTIFICATION: Notification = {
  event: 'changed',
  account: 'abc1234@dyn.example',
  name: 'home',
  hostnames: ['home.example.test'],
  addresses: byFamily(['192.0.2.2', '2001:db8::2'].map((one) => parseAddress(one) as Address)),
  before: byFamily([parseAddress('192.0.2.1') as Address]),
  because: null,
  remedy: null,
  since: null,
  times: 1,
}
export const STOPPED: Notification = {
  ...NOTIFICATION,
  event: 'stopped',
  before: {},
  because: 'badauth',
  remedy: 'check <the> key & password\nnow @everyone',
}

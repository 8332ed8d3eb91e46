import { expect, it } from 'vitest'
import { hookVariables } from '../../../../src/client/notify/receivers/hook.ts'
import { STOPPED } from './notifications.ts'

it('the variables of a hook have all facts, and no end of text', () =>
  expect(hookVariables({ ...STOPPED, because: 'a\0b' }, '1.2.3')).toEqual({
    HOLDFAST_NEWS_EVENT: 'stopped',
    HOLDFAST_NEWS_ACCOUNT: 'home',
    HOLDFAST_NEWS_HOSTNAMES: 'home.example.test',
    HOLDFAST_NEWS_IPV4: '192.0.2.2',
    HOLDFAST_NEWS_IPV6: '2001:db8::2',
    HOLDFAST_NEWS_IPV4_BEFORE: '',
    HOLDFAST_NEWS_IPV6_BEFORE: '',
    HOLDFAST_NEWS_BECAUSE: 'ab',
    HOLDFAST_NEWS_REMEDY: STOPPED.remedy,
    HOLDFAST_NEWS_SINCE: '',
    HOLDFAST_NEWS_TIMES: '1',
    HOLDFAST_NEWS_TEXT: expect.stringContaining('what to do'),
    HOLDFAST_NEWS_TEST: '',
    HOLDFAST_NEWS_VERSION: '1.2.3',
  }))

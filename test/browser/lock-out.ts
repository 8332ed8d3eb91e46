import { send } from './sign-in.ts'

/** More than any test needs: the service takes twenty wrong logins in ten minutes. */
const TRIES = 25

/** Locks out a network for updates, and not the one of the tests. */
export async function lockOut(url: string): Promise<void> {
  const at = url.replace('localhost', '127.0.0.1')
  const authorization = `Basic ${Buffer.from('nobody1:wrong').toString('base64')}`
  for (let n = 0; n < TRIES; n++)
    await send(`${at}/nic/update?hostname=home.example.test`, {
      headers: { authorization, 'user-agent': 'me/1.0 me@example.com' },
      localAddress: '127.0.0.9',
    })
}

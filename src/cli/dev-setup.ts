import type { DevSetup } from '../app/service/dev-setup.ts'

/** With one line to paste into another terminal. */
export function formatDevSetup(world: DevSetup, url: string): readonly string[] {
  const [hostname = ''] = world.hostnames
  return [
    `The service listens on ${url} with a store that is thrown away at the end.`,
    `  DDNS key   ${world.username}  password ${world.password}`,
    `  hostnames  ${world.hostnames.join(', ')}`,
    `  account    ${world.account}  password ${world.accountPassword}  API key ${world.apiKey}`,
    'Try it:',
    `  curl -u ${world.username}:${world.password} -A 'You curl/1-1 you@example.test' '${url}/nic/update?hostname=${hostname}&myip=192.0.2.1'`,
    `  HOLDFAST_PASSWORD=${world.password} holdfast update --server ${url} --username ${world.username} --hostname ${hostname} --myip 192.0.2.2`,
  ]
}

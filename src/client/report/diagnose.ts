import { type Duration, formatDuration, milliseconds, minutes } from '../../base/time.ts'
import { type Address, type Family } from '../../net/address.ts'
import { explainRange, specialRangeOf } from '../../net/special.ts'
import type { SourceAnswer } from './survey.ts'

/** What was found out about this network, each by asking. */
export interface Evidence {
  readonly answers: readonly SourceAnswer[]
  readonly agreed: Readonly<Partial<Record<Family, Address>>>
  readonly hasGateway: boolean
  /** Names that were looked up, and what came of it. */
  readonly names: readonly { readonly host: string; readonly wasFound: boolean }[]
  /** What web services said in place of an address. */
  readonly pages: readonly { readonly url: string; readonly isPage: boolean; readonly redirectsTo?: string }[]
  /** How far this host's clock is ahead of what others say; undefined where nobody said. */
  readonly clockAhead: Duration | undefined
  /** The clock shows a time before this program was made. */
  readonly isBeforeRelease: boolean
}

export interface Diagnosis {
  readonly name: string
  readonly evidence: string
  readonly remedy: string
  /** Whether updates suffer from it. */
  readonly isTrouble: boolean
}

type Rule = (evidence: Evidence) => Omit<Diagnosis, 'name' | 'remedy' | 'isTrouble'> | undefined

const says = (evidence: string): { readonly evidence: string } => ({ evidence })

const outside = ({ answers }: Evidence, family: Family): readonly SourceAnswer[] =>
  answers.filter(({ source, family: of }) => source.vantage === 'outside' && of === family)
const isSeen = ({ sighting }: SourceAnswer): boolean => sighting.kind === 'seen'

interface RouterSaid {
  readonly own?: Address
  readonly instead?: Address
  /** It answered, and named no address at all. */
  readonly hasNone?: boolean
}

const routerOf = ({ answers }: Evidence): RouterSaid => {
  const sighting = answers.find(({ source }) => source.vantage === 'router')?.sighting
  if (sighting?.kind === 'seen') return { own: sighting.address }
  if (sighting?.kind !== 'none') return {}
  return sighting.instead === undefined ? { hasNone: true } : { instead: sighting.instead }
}

/** The most that clocks of honest people differ by. */
const TOLERANCE = minutes(5)

const RULES: Readonly<
  Record<string, { readonly find: Rule; readonly remedy: string; readonly isTrouble: boolean }>
> = {
  'no network': {
    find: ({ hasGateway, answers }) =>
      hasGateway || answers.some(isSeen) ? undefined : says('there is no default route, and nobody answered'),
    remedy: 'connect this host; Holdfast goes on by itself when it is connected',
    isTrouble: true,
  },
  'captive portal': {
    find: ({ pages }) => {
      const page = pages.find(({ isPage, redirectsTo }) => isPage || redirectsTo !== undefined)
      if (page === undefined || !pages.every((one) => one.isPage || one.redirectsTo !== undefined))
        return undefined
      return says(
        page.redirectsTo === undefined
          ? `${page.url} answers with a web page`
          : `${page.url} sends us to ${page.redirectsTo}`,
      )
    },
    remedy: 'open a browser on this network and sign in',
    isTrouble: true,
  },
  'DNS broken': {
    find: ({ names, answers, hasGateway }) => {
      const lost = names.filter(({ wasFound }) => !wasFound).map(({ host }) => host)
      const isAlive = hasGateway || answers.some(isSeen)
      return lost.length > 0 && lost.length === names.length && isAlive
        ? says(`no name can be looked up: ${lost.slice(0, 3).join(', ')}`)
        : undefined
    },
    remedy: 'check /etc/resolv.conf, or the DNS server that the router hands out',
    isTrouble: true,
  },
  'name not found': {
    find: ({ names }) => {
      const lost = names.filter(({ wasFound }) => !wasFound).map(({ host }) => host)
      return lost.length > 0 && lost.length < names.length
        ? says(`${lost.join(', ')} cannot be looked up, others can`)
        : undefined
    },
    remedy: 'check the spelling of this name in the configuration',
    isTrouble: true,
  },
  'IPv6 broken': {
    find: (evidence) => {
      const own = evidence.answers.find(
        ({ source, family, sighting }) =>
          source.vantage === 'own' && family === 'v6' && sighting.kind === 'seen',
      )
      const asked = outside(evidence, 'v6')
      return own !== undefined &&
        asked.length > 0 &&
        !asked.some(isSeen) &&
        outside(evidence, 'v4').some(isSeen)
        ? says(
            `this host has ${own.sighting.kind === 'seen' ? own.sighting.address : ''}, but nobody outside answers over IPv6`,
          )
        : undefined
    },
    remedy: 'check IPv6 at the router or the provider; until then ipv6 = false publishes only IPv4',
    isTrouble: true,
  },
  CGNAT: {
    find: (evidence) => {
      const { instead, hasNone } = routerOf(evidence)
      const { v4 } = evidence.agreed
      if (instead !== undefined && specialRangeOf(instead) === 'cgnat')
        return says(`the router has ${instead}, ${explainRange(instead)}; outside it is ${v4 ?? 'unknown'}`)
      // Many routers do not tell an address that is not public.
      const isOwn = evidence.answers.some(
        ({ source, sighting }) =>
          source.vantage === 'own' && sighting.kind === 'seen' && sighting.address === v4,
      )
      return hasNone && v4 !== undefined && !isOwn
        ? says(
            `the router says that it has no public address, the world sees ${v4}: your provider shares that one among customers, or another router stands in front`,
          )
        : undefined
    },
    remedy: 'ask the provider for a public IPv4 address, or be reached over IPv6',
    isTrouble: false,
  },
  'double NAT': {
    find: (evidence) => {
      const { own, instead } = routerOf(evidence)
      const { v4 } = evidence.agreed
      if (instead !== undefined && specialRangeOf(instead) === 'private')
        return says(
          `the router has ${instead}, an address of another router's network; outside it is ${v4 ?? 'unknown'}`,
        )
      return own !== undefined && v4 !== undefined && own !== v4
        ? says(`the router says ${own}, the world sees ${v4}`)
        : undefined
    },
    remedy: 'put the first router into bridge mode, or forward its ports to the second',
    isTrouble: false,
  },
  'clock wrong': {
    find: ({ clockAhead, isBeforeRelease }) => {
      if (clockAhead !== undefined && Math.abs(clockAhead) > TOLERANCE)
        return says(
          `this host's clock is ${formatDuration(milliseconds(Math.round(Math.abs(clockAhead) / 60_000) * 60_000))} ${clockAhead > 0 ? 'ahead' : 'behind'}`,
        )
      return isBeforeRelease ? says("this host's clock shows a time before this program was made") : undefined
    },
    remedy: 'set the clock, and let it be kept (timedatectl set-ntp true): certificates are refused without',
    isTrouble: true,
  },
  'nobody answers': {
    find: ({ answers, hasGateway, pages }) =>
      hasGateway && answers.length > 0 && !answers.some(isSeen) && !pages.some(({ isPage }) => isPage)
        ? says(`of ${answers.length} questions none was answered with an address`)
        : undefined,
    remedy: 'check the connection beyond the router, and whether a firewall lets questions out',
    isTrouble: true,
  },
  liar: {
    find: ({ answers, agreed }) => {
      const against = answers.filter(
        ({ source, family, sighting }) =>
          source.vantage === 'outside' &&
          family === 'v4' &&
          agreed.v4 !== undefined &&
          sighting.kind === 'seen' &&
          sighting.address !== agreed.v4,
      )
      const [first] = against
      return first?.sighting.kind === 'seen'
        ? says(`${first.source.name} says ${first.sighting.address} where others agree on ${agreed.v4}`)
        : undefined
    },
    remedy: 'take this source out of the configuration; it is not believed anyway',
    isTrouble: false,
  },
}

/** What is wrong with this network, each with what shows it and what to do. */
export const diagnose = (evidence: Evidence): readonly Diagnosis[] =>
  Object.entries(RULES).flatMap(([name, { find, remedy, isTrouble }]) => {
    const found = find(evidence)
    return found === undefined ? [] : [{ name, ...found, remedy, isTrouble }]
  })

export const sayDiagnoses = (all: readonly Diagnosis[]): readonly string[] =>
  all.length === 0
    ? ['nothing is wrong with this network that Holdfast can see']
    : all.flatMap(({ name, evidence, remedy }) => [
        name,
        `  evidence: ${evidence}`,
        `  what to do: ${remedy}`,
      ])

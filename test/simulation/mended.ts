import type { HomePlan, World, WorldEvent } from './draw.ts'

export interface MendedWorld {
  readonly what: string
  readonly rule: string
  /** The planted fault that is the same mistake: with it, this world breaks the rule. */
  readonly mistake: string
  readonly world: World
  /** Shown in the short run too. */
  readonly isQuick?: true
}

const HOME: HomePlan = {
  router: 'mute',
  probe: true,
  roundTrip: 20,
  loss: 0,
  call: 1,
  ipv6: 'none',
  renumbers: false,
  liars: [],
  backup: false,
  isTranslated: false,
  isVerified: false,
  nameServers: { lag: 0, isSilent: false },
  webhook: false,
}

/** A home of which this is special. */
export const world = (home: Partial<HomePlan>, faultsEnd: number, events: readonly WorldEvent[]): World => ({
  seed: 1,
  home: { ...HOME, ...home },
  faultsEnd,
  events,
})

const MINUTE = 60_000
const ANSWERING = 'a router that answers is taken for the last one, and for one that announces'

/** Worlds that showed a fault, with no more events than it takes. */
export const MENDED: readonly MendedWorld[] = [
  {
    what: 'the exit of a VPN that comes up in steps is published',
    rule: 'S1',
    mistake: 'the route is not read again after the outside has answered',
    world: world({ probe: false }, 20 * MINUTE, [
      { kind: 'vpn', at: 10 * MINUTE, span: 10 * MINUTE, step: 30 },
    ]),
    isQuick: true,
  },
  {
    what: 'the exit of a VPN that takes only datagrams is published',
    rule: 'S1',
    mistake: 'an answer counts, whatever way its question left',
    world: world({ probe: false }, 20 * MINUTE, [
      { kind: 'vpn', at: 10 * MINUTE, span: 10 * MINUTE, step: 30, takesDatagrams: true },
    ]),
    isQuick: true,
  },
  {
    what: 'five minutes behind a router that states another public address',
    rule: 'L1',
    mistake: ANSWERING,
    world: world({ router: 'other' }, 12 * MINUTE, []),
  },
  {
    what: 'five minutes behind a router that states no address',
    rule: 'L1',
    mistake: ANSWERING,
    world: world({ router: 'noAddress' }, 12 * MINUTE, []),
  },
  {
    what: 'five minutes behind a router that states a private address',
    rule: 'L1',
    mistake: ANSWERING,
    world: { ...world({ router: 'private' }, 12 * MINUTE, []), seed: 3 },
  },
  {
    what: 'a change is late after forged announcements before the one before it',
    rule: 'L1',
    mistake: 'any announcement at the time of a change makes an announcing router',
    world: world({ router: 'answers', probe: false }, 12 * MINUTE, [
      { kind: 'announcements', at: 600_000, count: 50, gap: 1000 },
      { kind: 'change', at: 620_300, gap: 0 },
    ]),
    isQuick: true,
  },
  {
    what: 'an address stays wrong when its answer is lost and the line returns to the earlier one',
    rule: 'L2',
    mistake: 'a request without an answer leaves no doubt',
    world: world({}, 12 * MINUTE, [
      { kind: 'lostAnswer', at: 500_000 },
      { kind: 'flap', at: 600_000, span: 3500 },
    ]),
    isQuick: true,
  },
  {
    what: 'two daemons work on one folder that could not be locked when the first one started',
    rule: 'S6',
    mistake: 'a folder that cannot be written at the start is never locked',
    world: world({}, 20 * MINUTE, [
      { kind: 'disk', at: 300_000, span: 420_000, code: 'EROFS', isEverywhere: true },
      { kind: 'kill', at: 500_000, down: 10_000 },
      { kind: 'secondDaemon', at: 1_000_000 },
    ]),
  },
  {
    what: 'a router that states another address is told to report the public one',
    rule: 'T3',
    mistake: 'a router is told to report its public address whatever it states',
    world: world({ router: 'other' }, 12 * MINUTE, []),
  },
  {
    what: 'the end of a problem is delivered before the problem after a restart',
    rule: 'L3',
    mistake: 'a delivery that failed goes to the end of what is saved',
    world: world({ webhook: true }, 20 * MINUTE, [
      { kind: 'stop', at: 600_000, word: 'abuse', resume: 140_000 },
      { kind: 'receiver', at: 690_000, span: 210_000, says: '500' },
      { kind: 'change', at: 700_000, gap: 0 },
      { kind: 'kill', at: 800_000, down: 1000 },
    ]),
  },
  {
    what: 'an address from before an interruption is sent after it',
    rule: 'S1',
    mistake: 'an answer from before an interruption is used after it',
    world: {
      ...world({ router: 'answers', ipv6: 'temporary', renumbers: true }, 60 * MINUTE, [
        { kind: 'outage', at: 1_025_115, span: 173_225 },
        { kind: 'freeze', at: 1_027_065, span: 226_107 },
      ]),
      seed: 302_247,
    },
  },
  {
    what: 'an IPv6 address is sent that was given up while IPv4 was still looked for',
    rule: 'S1',
    mistake: 'an answer of one family stays while the other one is asked for',
    world: world(
      { roundTrip: 62, call: 16, ipv6: 'stable', renumbers: true, lacksIpv4: 'uplink' },
      60 * MINUTE,
      [
        { kind: 'change', at: 273_698, gap: 0 },
        { kind: 'prefix', at: 303_392 },
        { kind: 'change', at: 318_392, gap: 0 },
        { kind: 'flap', at: 344_211, span: 35_256 },
        { kind: 'change', at: 474_006, gap: 0 },
        { kind: 'flap', at: 488_151, span: 37_836 },
        { kind: 'change', at: 499_805, gap: 0 },
        { kind: 'flap', at: 514_432, span: 49_940 },
        { kind: 'prefix', at: 567_064 },
        { kind: 'change', at: 577_603, gap: 0 },
        { kind: 'prefix', at: 581_819 },
        { kind: 'change', at: 584_489, gap: 1_359 },
      ],
    ),
  },
  {
    what: 'a router that restarts twice and has no address yet is told to be behind another one',
    rule: 'T10',
    mistake: 'a router that has just started and has no address yet is told to be behind another one',
    world: world({ router: 'announces', pings: true }, 60 * MINUTE, [
      { kind: 'reboot', at: 2_465_910, span: 26_814, stale: 9118 },
      { kind: 'reboot', at: 2_476_206, span: 47_803, stale: 2680 },
    ]),
  },
  {
    what: 'an address from before a sleep is sent after it',
    rule: 'S1',
    mistake: 'a request leaves however long ago the look was',
    world: {
      ...world(
        { roundTrip: 84, call: 9.93, ipv6: 'temporary', backup: true, pings: true, losesPings: true },
        60 * MINUTE,
        [
          { kind: 'failover', at: 1_868_813, span: 156_686 },
          { kind: 'sleep', at: 1_869_110, span: 422_402 },
        ],
      ),
      seed: 553_604,
    },
  },
  {
    what: 'a router without an address right after its start is told to be behind another one, by UPnP',
    rule: 'T10',
    mistake: 'a router with UPnP that has just started is believed',
    world: world({ router: 'upnp', roundTrip: 42.0, pings: true }, 3_600_000, [
      { kind: 'outage', at: 2_578_543, span: 573_252 },
      { kind: 'reboot', at: 3_120_335, span: 77_070, stale: 5_967 },
    ]),
  },
  {
    what: 'an address from before the second restart of a router is sent through a VPN',
    rule: 'S1',
    mistake: 'a router that did not answer is believed at once, behind a VPN',
    world: world({ router: 'announces', pings: true }, 3_600_000, [
      { kind: 'vpn', at: 1_707_295, span: 1_103_840, step: -335.72 },
      { kind: 'reboot', at: 1_834_429, span: 13_227, stale: 7_060 },
      { kind: 'reboot', at: 1_848_174, span: 73_012, stale: 6_530 },
    ]),
  },
  {
    what: 'a router without an address is asked again, and two outside services are faster each time',
    rule: 'L4',
    mistake: 'what is asked again because of the router does not wait for it',
    // A doubt in the moment of the second round.
    world: world({ router: 'noAddress', roundTrip: 60, call: 5, pings: true }, 12 * MINUTE, [
      { kind: 'poke', at: 2133 },
    ]),
  },
  {
    what: 'the old address of a router that has just started is sent through a VPN, although the outside was believed',
    rule: 'S1',
    mistake: 'a router that was not believed is believed behind a VPN',
    // Nothing shows that the router restarts before it answers again.
    world: {
      ...world({ router: 'announces', probe: false, pings: false }, 20 * MINUTE, [
        { kind: 'reboot', at: 700_000, span: 14_790, stale: 9_405 },
        { kind: 'vpn', at: 722_250, span: 10 * MINUTE, step: 297 },
      ]),
      seed: 767_422,
    },
  },
  {
    what: 'a daemon whose folder could not be locked keeps a stop that was resumed on the disk',
    rule: 'L1',
    mistake: 'a resume on the disk ends no stop that a daemon remembers',
    world: {
      ...world({ pings: false, losesPings: true }, 60 * MINUTE, [
        { kind: 'stop', at: 2_702_779.6265110373, word: 'badagent', resume: 730_815.8591855317 },
        { kind: 'change', at: 2_827_369.9195683002, gap: 11_753.902025008574 },
        { kind: 'powerCut', at: 3_003_613.4040914476, down: 51_954.644434154034, isTorn: false },
        {
          kind: 'disk',
          at: 3_019_079.553382471,
          span: 575_521.0048533045,
          code: 'EROFS',
          isEverywhere: true,
        },
      ]),
      seed: 1_796_686_312,
    },
  },
  {
    what: 'a router that is late at two changes of the line is told to be behind another one',
    rule: 'T10',
    mistake: 'a router that is late twice is behind another one',
    world: {
      ...world({ router: 'answers', roundTrip: 76, call: 10.133263891155366, pings: true }, 60 * MINUTE, [
        { kind: 'flap', at: 727_780, span: 43_163 },
        { kind: 'flap', at: 939_537, span: 3_529 },
        { kind: 'change', at: 949_531, gap: 5_937 },
        { kind: 'flap', at: 990_111, span: 44_612 },
        { kind: 'change', at: 1_420_447, gap: 16_282 },
        { kind: 'change', at: 1_447_580, gap: 100 },
        { kind: 'flap', at: 1_494_085, span: 54_329 },
        { kind: 'change', at: 1_495_616, gap: 9_847 },
        { kind: 'change', at: 1_506_419, gap: 11_452 },
      ]),
      seed: 9_028,
    },
  },
  {
    what: 'an address from before a sleep is sent by settings that a reload has replaced',
    rule: 'S1',
    mistake: 'an answer from before a suspend is reused',
    world: {
      ...world(
        {
          router: 'mute',
          probe: true,
          roundTrip: 20,
          loss: 0,
          call: 1,
          ipv6: 'temporary',
          renumbers: false,
          liars: ['stun.cloudflare.com'],
          backup: false,
          webhook: true,
          isVerified: false,
          nameServers: { lag: 0, isSilent: false },
          isTranslated: false,
          pings: true,
          losesPings: false,
        },
        60 * MINUTE,
        [
          { kind: 'vpn', at: 352014.11532238126, span: 580344.7417123243, step: -25.988173438236117 },
          { kind: 'sleep', at: 682856.9967672229, span: 1763684.2776602134 },
          { kind: 'reboot', at: 1171784.1598950326, span: 83217.61483908631, stale: 3649.558366741985 },
          { kind: 'prefix', at: 1327984.3025654554 },
          { kind: 'reload', at: 1985694.839693606 },
        ],
      ),
      seed: 1796694658,
    },
  },
  {
    what: 'a name is told to be published because of the family that was sent alone',
    rule: 'T8',
    mistake: 'only the family that was sent is verified',
    world: {
      ...world(
        {
          router: 'answers',
          probe: true,
          roundTrip: 20,
          loss: 0,
          call: 1,
          ipv6: 'stable',
          renumbers: true,
          liars: [],
          backup: false,
          webhook: false,
          isVerified: true,
          nameServers: { lag: 0, isSilent: false },
          isTranslated: false,
          pings: true,
          losesPings: false,
        },
        60 * MINUTE,
        [
          { kind: 'killAtAnswer', at: 142692.95057281852, delay: 23.821493396535516 },
          { kind: 'vpn', at: 346298.5878624022, span: 407904.7098872252, step: -474.84400728717446 },
          { kind: 'disk', at: 380416.166447103, span: 112222.09287737496, code: 'EIO', isEverywhere: true },
          { kind: 'change', at: 429136.3567393273, gap: 0 },
        ],
      ),
      seed: 1795693488,
    },
  },
  {
    what: 'a name is told to be published with its old address while a request has no answer',
    rule: 'T8',
    mistake: 'a name is published although a request for it has no answer',
    world: {
      ...world(
        {
          router: 'mute',
          probe: true,
          roundTrip: 20,
          loss: 0,
          call: 1,
          ipv6: 'temporary',
          renumbers: false,
          liars: [],
          backup: false,
          webhook: false,
          isVerified: true,
          nameServers: { lag: 0, isSilent: false },
          isTranslated: false,
          pings: false,
          losesPings: false,
        },
        60 * MINUTE,
        [
          { kind: 'lostAnswer', at: 844509.6287503839 },
          { kind: 'prefix', at: 1030711.6899825633 },
          { kind: 'service', at: 1034684.0053237975, span: 681433.076618705, says: '500' },
        ],
      ),
      seed: 1795712633,
    },
  },
  {
    what: 'a daemon that was killed while it retried is told to know no address',
    rule: 'T7',
    mistake: 'a process that has not looked has seen no address',
    world: {
      ...world(
        {
          router: 'mute',
          probe: true,
          roundTrip: 20,
          loss: 0,
          call: 1,
          ipv6: 'none',
          renumbers: false,
          liars: [],
          backup: false,
          webhook: false,
          isVerified: false,
          nameServers: { lag: 0, isSilent: false },
          isTranslated: false,
          pings: false,
          losesPings: false,
        },
        60 * MINUTE,
        [
          { kind: 'powerCut', at: 1472604.5634783804, down: 534652.6886173524, isTorn: true },
          { kind: 'sleep', at: 1755201.4797460288, span: 945389.5853948779 },
          { kind: 'service', at: 2574855.7070922107, span: 525359.7429499496, says: 'reset' },
          { kind: 'service', at: 2722878.6649927497, span: 1188148.9172703587, says: 'hang' },
          { kind: 'kill', at: 2940110.6907986104, down: 114109.71115066204 },
        ],
      ),
      seed: 1796693962,
    },
  },
  {
    what: 'a receiver that is not reached for half an hour never hears the end',
    rule: 'L3',
    mistake: 'a notification is given up after four attempts',
    world: world({ webhook: true }, 60 * MINUTE, [
      { kind: 'stop', at: 10 * MINUTE, word: 'abuse', resume: 20 * MINUTE },
      { kind: 'change', at: 12 * MINUTE, gap: 0 },
      { kind: 'receiver', at: 29 * MINUTE, span: 30 * MINUTE, says: 'hang' },
    ]),
  },
  {
    what: 'a look that was overtaken before a sleep is used after it',
    rule: 'S1',
    mistake: 'a look that was repeated is never old',
    world: {
      ...world(
        {
          router: 'mute',
          probe: false,
          roundTrip: 20,
          loss: 0,
          call: 1,
          ipv6: 'stable',
          renumbers: true,
          liars: [],
          backup: false,
          webhook: false,
          isVerified: false,
          nameServers: { lag: 0, isSilent: false },
          isTranslated: false,
          pings: true,
          losesPings: true,
        },
        60 * MINUTE,
        [
          { kind: 'flap', at: 270301.7124719918, span: 37682.46345408261 },
          { kind: 'sleep', at: 318598.5565278679, span: 1767650.619451888 },
          { kind: 'change', at: 600322.4423155189, gap: 0 },
        ],
      ),
      seed: 1796697713,
    },
  },
  {
    what: 'a resume in the moment of the end is answered, and forgotten',
    rule: 'L2',
    mistake: 'a request at the end is answered, and has no effect',
    world: {
      ...world(
        {
          router: 'mute',
          probe: true,
          roundTrip: 20,
          loss: 0,
          call: 1,
          ipv6: 'none',
          renumbers: false,
          liars: [],
          backup: false,
          webhook: true,
          isVerified: false,
          nameServers: { lag: 0, isSilent: false },
          isTranslated: false,
          pings: true,
          losesPings: false,
        },
        60 * MINUTE,
        [
          { kind: 'stop', at: 1316912.5233124942, word: 'badagent', resume: 1048217.7487341687 },
          { kind: 'flap', at: 1536303.353374824, span: 10712.095893197693 },
          { kind: 'sleep', at: 2290143.606411293, span: 952386.181037873 },
          { kind: 'reload', at: 2775400.734404102 },
          { kind: 'sleep', at: 2982596.124764532, span: 847478.3904501237 },
          { kind: 'sigterm', at: 3118984.7164135426, down: 72561.78100763354 },
          { kind: 'change', at: 3212394.216740504, gap: 12457.35526746139 },
        ],
      ),
      seed: 1796701439,
    },
  },
  {
    what: 'after a failover, the router of the home line is not asked for two hours',
    rule: 'L1',
    mistake: 'watchers ask the gateway of the line before',
    world: {
      ...world({ router: 'answers', probe: false, backup: true, pings: true }, 60 * MINUTE, [
        { kind: 'failover', at: 3_571_836.635749787, span: 433_276.69224957936 },
      ]),
      seed: 100_112,
    },
  },
  {
    what: 'a gateway that is silent for five seconds is dead, because no new answer came for so long',
    rule: 'S1',
    mistake: 'a reading between two questions is a later sign',
    world: {
      ...world(
        {
          router: 'noAddress',
          roundTrip: 64,
          loss: 0.05,
          call: 8.6,
          move: {
            way: 'stick',
            fate: 'blink',
            keepsRoute: true,
            source: 'private',
            step: 0,
            replies: false,
            isTunnel: false,
          },
        },
        12 * MINUTE,
        [],
      ),
      seed: 663_700,
    },
  },
  {
    what: 'the word of a router behind another one is sent under a VPN, because another line was proven',
    rule: 'S1',
    mistake: 'the router of one line is believed because that of another one was right',
    world: world({ router: 'other', pings: true }, 60 * MINUTE, [
      {
        kind: 'move',
        at: 2_445_150,
        span: 255_310,
        way: 'lte',
        fate: 'blink',
        keepsRoute: true,
        source: 'global',
        step: 0,
        replies: true,
        isTunnel: false,
      },
      { kind: 'vpn', at: 3_362_151, span: 474_505, step: 455 },
    ]),
  },
  {
    what: 'the exit of a VPN box is published a moment after the router of the home line is back',
    rule: 'S1',
    mistake: 'the line that was left is not asked before an address of the new one is published',
    world: {
      ...world({ pings: false }, 60 * MINUTE, [
        { kind: 'reboot', at: 2_154_936, span: 55_756, stale: 4_570.606511551887 },
        {
          kind: 'move',
          at: 2_198_982.268832624,
          span: 435_542,
          way: 'box',
          fate: 'alive',
          keepsRoute: true,
          source: 'shared',
          step: 455,
          replies: true,
          isTunnel: true,
        },
      ]),
      seed: 155_303,
    },
  },
  {
    what: 'after a VPN under which the home line was dead for a while, a second router is followed at once',
    rule: 'S1',
    mistake: 'a line that was dead under a VPN stays forgotten when it answers again',
    world: {
      ...world({ pings: false }, 60 * MINUTE, [
        { kind: 'vpn', at: 165_763.59786093235, span: 1_039_292.1051476151, step: 5.939104128628969 },
        {
          kind: 'move',
          at: 849_624.9460335821,
          span: 22_147.989427903667,
          way: 'card',
          fate: 'gateway',
          keepsRoute: true,
          source: 'global',
          step: 0,
          replies: true,
          isTunnel: false,
        },
        {
          kind: 'move',
          at: 1_201_019.9564974755,
          span: 367_828.43474764377,
          way: 'hop',
          fate: 'gateway',
          keepsRoute: true,
          source: 'global',
          step: 1_091.4584519341588,
          replies: false,
          isTunnel: true,
        },
      ]),
      seed: 50_135,
    },
  },
  {
    what: 'the exit of a tunnel is published in the moment in which the router has a public address again',
    rule: 'S1',
    mistake: 'a line that was left by the word of its router is not asked again',
    world: {
      ...world({ router: 'upnp' }, 60 * MINUTE, [
        { kind: 'outage', at: 2_366_913.60918805, span: 360_068.37648688816 },
        {
          kind: 'move',
          at: 2_537_631.417699158,
          span: 598_815.2575946879,
          way: 'bare',
          fate: 'back',
          keepsRoute: true,
          source: 'private',
          step: -1_775.7871132344007,
          replies: true,
          isTunnel: true,
        },
      ]),
      seed: 1_796_080_941,
    },
  },
]

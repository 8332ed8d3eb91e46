"""joined.py tun|tap ONE OTHER   makes two devices: what enters one leaves the other. A TUN device has no MAC address."""
import contextlib
import fcntl
import os
import select
import struct
import sys

# linux/if_tun.h
TUNSETIFF, IFF_TUN, IFF_TAP, IFF_NO_PI = 0x400454CA, 0x0001, 0x0002, 0x1000
SIZE = 4096

kind, *names = sys.argv[1:]


def device(name):
    """A device that ends with this process, also if it is moved to another namespace."""
    made = os.open('/dev/net/tun', os.O_RDWR)
    flags = (IFF_TAP if kind == 'tap' else IFF_TUN) | IFF_NO_PI
    fcntl.ioctl(made, TUNSETIFF, struct.pack('16sH22x', name.encode(), flags))
    return made


one, other = (device(name) for name in names)
print('ready', flush=True)
while True:
    for ready in select.select([one, other], [], [])[0]:
        # A packet that cannot be delivered is lost, as elsewhere.
        with contextlib.suppress(OSError):
            os.write(other if ready is one else one, os.read(ready, SIZE))

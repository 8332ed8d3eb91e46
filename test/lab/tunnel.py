"""tunnel.py DEVICE OWN OTHER   carries IPv4 in UDP between two IPv6 addresses. Like that of clatd, the device has no MAC address."""
import contextlib
import fcntl
import os
import select
import socket
import struct
import sys

# linux/if_tun.h
TUNSETIFF, IFF_TUN, IFF_NO_PI = 0x400454CA, 0x0001, 0x1000
PORT, SIZE = 4640, 2000

device, own, other = sys.argv[1:]
tun = os.open('/dev/net/tun', os.O_RDWR)
fcntl.ioctl(tun, TUNSETIFF, struct.pack('16sH22x', device.encode(), IFF_TUN | IFF_NO_PI))
wire = socket.socket(socket.AF_INET6, socket.SOCK_DGRAM)
wire.bind((own, PORT))
print('ready', flush=True)
while True:
    for ready in select.select([tun, wire], [], [])[0]:
        # A packet that cannot be delivered is lost, as elsewhere.
        with contextlib.suppress(OSError):
            if ready is tun:
                wire.sendto(os.read(tun, SIZE), (other, PORT))
            else:
                os.write(tun, wire.recv(SIZE))

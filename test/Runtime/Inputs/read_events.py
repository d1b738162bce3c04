"""read_events.py FOLDER [TAG..]: the scalars of the event files of a folder, each step on a line: `3 loss=0.5 lr=0.1`. Checks the
form of TFRecord and both checksums of each record. `restart 4`: a run went on at that step. With tags, those alone."""
import os
import struct
import sys

TABLE = []
for byte in range(256):
    for _ in range(8):
        byte = byte >> 1 ^ (0x82F63B78 if byte & 1 else 0)
    TABLE.append(byte)


def masked(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc = TABLE[(crc ^ byte) & 255] ^ crc >> 8
    crc ^= 0xFFFFFFFF
    return ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF


def records(data):
    while data:
        length, check = struct.unpack("<QI", data[:12])
        assert check == masked(data[:8]), "checksum of a length"
        record, (check,) = data[12:12 + length], struct.unpack("<I", data[12 + length:16 + length])
        assert len(record) == length and check == masked(record), "checksum of a record"
        yield record
        data = data[16 + length:]


def varint(data):
    value = shift = 0
    for i, byte in enumerate(data):
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return value, data[i + 1:]


def fields(data):
    """The fields of a message: number and value, which is bytes, or an integer."""
    while data:
        key, data = varint(data)
        if key & 7 == 0:
            value, data = varint(data)
        elif key & 7 == 2:
            size, data = varint(data)
            value, data = data[:size], data[size:]
        else:
            size = {1: 8, 5: 4}[key & 7]
            value, data = data[:size], data[size:]
        yield key >> 3, value


assert masked(b"123456789") == ((0xE3069283 >> 15 | 0xE3069283 << 17) + 0xA282EAD8) & 0xFFFFFFFF  # RFC 3720's check value
wanted = sys.argv[2:]
for name in sorted(os.listdir(sys.argv[1])):
    assert name.startswith("events.out.tfevents."), name
    for number, record in enumerate(records(open(os.path.join(sys.argv[1], name), "rb").read())):
        event = dict(fields(record))
        time, = struct.unpack("<d", event[1])
        assert 1.7e9 < time < 1e11, time
        if number == 0:
            assert event[3] == b"brain.Event:2"
        elif 7 in event:
            assert dict(fields(event[7])) == {1: 1}
            print("restart", event[2])
        else:
            scalars = []
            for field, value in fields(event[5]):
                value = dict(fields(value))
                assert field == 1 and set(value) == {1, 2}
                if not wanted or value[1].decode() in wanted:
                    scalars.append(f"{value[1].decode()}={struct.unpack('<f', value[2])[0]:.7g}")
            print(event[2], *scalars)

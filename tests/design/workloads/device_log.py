"""A log of device states without keys: the access patterns of a published design with two indexes, and one more."""

from dataclasses import dataclass
from datetime import datetime

from singletable import Between, Page, Since, Table, entity, pattern, query


@entity(identity=("device_id", "state", "date"))
@dataclass
class DeviceLog:
    """A state of a device. Only escalated logs have a supervisor."""

    device_id: str
    state: str
    date: datetime
    operator: str
    escalated_to: str | None = None


class Published(Table, entities=[DeviceLog]):
    """The published patterns."""

    @pattern()
    def logs_in_state(self, device_id: str, state: str, *, limit: int = 20) -> Page[DeviceLog]:
        return query(DeviceLog, newest_first=True)

    @pattern()
    def logs_of_operator(self, operator: str, date: Between[datetime]) -> Page[DeviceLog]:
        return query(DeviceLog)

    @pattern()
    def escalated(self, escalated_to: str) -> Page[DeviceLog]:
        return query(DeviceLog)

    @pattern()
    def escalated_in_state(self, escalated_to: str, state: str) -> Page[DeviceLog]:
        return query(DeviceLog)

    @pattern()
    def escalated_on_date(self, escalated_to: str, state: str, date: Since[datetime]) -> Page[DeviceLog]:
        return query(DeviceLog)


class WithDates(Table, entities=[DeviceLog]):
    """The published patterns, and the logs of a device between two dates."""

    @pattern()
    def logs_in_state(self, device_id: str, state: str, *, limit: int = 20) -> Page[DeviceLog]:
        return query(DeviceLog, newest_first=True)

    @pattern()
    def logs_of_device(self, device_id: str, date: Between[datetime]) -> Page[DeviceLog]:
        return query(DeviceLog)

    @pattern()
    def logs_of_operator(self, operator: str, date: Between[datetime]) -> Page[DeviceLog]:
        return query(DeviceLog)

    @pattern()
    def escalated(self, escalated_to: str) -> Page[DeviceLog]:
        return query(DeviceLog)

    @pattern()
    def escalated_in_state(self, escalated_to: str, state: str) -> Page[DeviceLog]:
        return query(DeviceLog)

    @pattern()
    def escalated_on_date(self, escalated_to: str, state: str, date: Since[datetime]) -> Page[DeviceLog]:
        return query(DeviceLog)

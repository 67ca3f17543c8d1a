"""A catalogue of the requests that an application sends: recording, access patterns, and problems such as Scans."""

from singletable.catalogue.botocore_hook import Recording, install

__all__ = ["Recording", "install"]

"""Stand-ins for packages that need not be installed: only what causcale asks of them."""


import numpy as np


class PolarsSeriesLike:
    """A column as polars hands it out: nulls are None when listed, NaN in an array of numbers; an array of text or of
    values with nulls holds objects; arrays cannot be written to; a column of lists holds columns, one by one.
    """

    def __init__(self, values):
        self._values = list(values)

    def __len__(self):
        return len(self._values)

    def __iter__(self):
        return iter(PolarsSeriesLike(v) if isinstance(v, list) else v for v in self._values)

    def to_list(self):
        return self._values

    def to_numpy(self):
        kinds = {type(v) for v in self._values if v is not None}
        if kinds <= {int, float, np.float64} and None in self._values:
            array = np.array([np.nan if v is None else v for v in self._values])
        elif kinds <= {int, float, np.float64, bool} and None not in self._values:
            array = np.array(self._values)
        else:
            array = np.array(self._values, dtype=object)
        array.flags.writeable = False
        return array

    def __array__(self, dtype=None, copy=None):
        return self.to_numpy() if dtype is None else self.to_numpy().astype(dtype)


class PolarsLike:
    """A frame with columns, to_numpy, shape, column access and length; no index, no iloc, no values."""

    def __init__(self, columns):
        self._columns = {name: PolarsSeriesLike(values) for name, values in columns.items()}

    @property
    def shape(self):
        return len(self), len(self._columns)

    @property
    def columns(self):
        return list(self._columns)

    def __len__(self):
        return len(next(iter(self._columns.values())))

    def __getitem__(self, name):
        return self._columns[name]

    def to_numpy(self):
        return np.column_stack([column.to_numpy() for column in self._columns.values()])


class LazyLike:
    """A computation that has not run: columns are known, values are not."""

    columns = ["a", "b"]

    def collect(self):
        raise AssertionError("whether to compute is the user's choice")


class InterchangeOnly:
    """A table that is handed over by the interchange protocol alone, such as Arrow's."""

    def __init__(self, frame):
        self._frame = frame

    def __dataframe__(self, nan_as_null=False, allow_copy=True):
        return self._frame.__dataframe__(nan_as_null, allow_copy)


class SparseLike:
    """A sparse matrix: slices, shape, toarray."""

    def __init__(self, array):
        self._array = array
        self.shape = array.shape

    def __getitem__(self, key):
        return SparseLike(self._array[key])

    def toarray(self):
        return self._array


class AnnDataLike:
    def __init__(self, array, names, obs, layers=None):
        self.X = SparseLike(array)
        self.var_names = names
        self.obs = obs
        self.layers = layers or {}
